// A failed call, described for the model. It becomes a result with `isError`, never a protocol error.

export class Failure extends Error {}

// Where the caller configured address and token, and can correct them.
export type Source = 'environment' | 'headers' | 'data folder';

const maxBody = 2048; // bytes of an answer that are quoted

export function apiFailure(status: number, body: string, source: Source): Failure {
  const text = Buffer.from(body).subarray(0, maxBody).toString('utf8');
  return new Failure(`${status === 401 ? `${tokenGuidance[source]} The API answered: ` : ''}${status}: ${text}`);
}

const tokenGuidance: Readonly<Record<Source, string>> = {
  environment:
    'The API does not accept the token. Set IONOS_TOKEN to a valid one (`cumulet token generate`, or `cumulet env`), and restart the tool server.',
  headers:
    'The API does not accept the token in the Authorization header of the MCP connection. Connect with a valid one (create one with `cumulet token generate`).',
  'data folder': 'The region does not accept the token that it created for the tool server.',
};

export const missingToken = (source: Source): Failure =>
  new Failure(
    source === 'headers'
      ? 'The MCP connection has no token: it needs the header `Authorization: Bearer …` (create one with `cumulet token generate`).'
      : 'IONOS_TOKEN is not set. Give the tool server a token in its environment (create one with `cumulet token generate`), and restart it.',
  );

export const missingStorageKey = (source: Source): string =>
  source === 'headers'
    ? 'A key is needed in the headers X-Ionos-S3-Access-Key and X-Ionos-S3-Secret-Key of the MCP connection (create one with `cumulet env --aws`).'
    : 'A key is needed in IONOS_S3_ACCESS_KEY and IONOS_S3_SECRET_KEY in the environment of the tool server (create one with `cumulet env --aws`).';

export const unreachable = (url: URL, error: Error, source: Source): Failure =>
  new Failure(
    `${url.origin} does not answer: ${error.message || (error as NodeJS.ErrnoException).code}.${source === 'environment' ? ' Is IONOS_API_URL right?' : ''}`,
  );
