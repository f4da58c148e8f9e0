// A call that did not work, in words for the model. It becomes a result with `isError`, never a protocol error.

export class Failure extends Error {}

// Where the caller gave address and token, which is also where they can be mended.
export type Source = 'environment' | 'headers' | 'data folder';

const mostBody = 2048; // bytes of an answer that are repeated

export function apiFailure(status: number, body: string, source: Source): Failure {
  const told = Buffer.from(body).subarray(0, mostBody).toString('utf8');
  return new Failure(`${status === 401 ? `${tokenGuidance[source]} The API answered: ` : ''}${status}: ${told}`);
}

const tokenGuidance: Readonly<Record<Source, string>> = {
  environment:
    'The API does not accept the token. Set IONOS_TOKEN to a valid one (`cumulet token generate`, or `cumulet env`), and start the tool server again.',
  headers:
    'The API does not accept the token in the Authorization header of the MCP connection. Connect with a valid one (`cumulet token generate` makes it).',
  'data folder': 'The region does not accept the token that it made for the tool server.',
};

export const missingToken = (source: Source): Failure =>
  new Failure(
    source === 'headers'
      ? 'The MCP connection has no token: it needs the header `Authorization: Bearer …` (`cumulet token generate` makes a token).'
      : 'IONOS_TOKEN is not set. Give the tool server a token in its environment (`cumulet token generate` makes one), and start it again.',
  );

export const missingStorageKey = (source: Source): string =>
  source === 'headers'
    ? 'A key is needed in the headers X-Ionos-S3-Access-Key and X-Ionos-S3-Secret-Key of the MCP connection (`cumulet env --aws` makes one).'
    : 'A key is needed in IONOS_S3_ACCESS_KEY and IONOS_S3_SECRET_KEY in the environment of the tool server (`cumulet env --aws` makes one).';

export const unreachable = (url: URL, error: Error, source: Source): Failure =>
  new Failure(
    `${url.origin} does not answer: ${error.message || (error as NodeJS.ErrnoException).code}.${source === 'environment' ? ' Is IONOS_API_URL right?' : ''}`,
  );
