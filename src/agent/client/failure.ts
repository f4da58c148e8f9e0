// A call that did not work, in words for the model. It becomes a result with `isError`, never a protocol error.

export class Failure extends Error {}

const mostBody = 2048; // bytes of an answer that are repeated

export function apiFailure(status: number, body: string): Failure {
  const told = Buffer.from(body).subarray(0, mostBody).toString('utf8');
  if (status !== 401) return new Failure(`${status}: ${told}`);
  return new Failure(`${tokenGuidance} The API answered: 401: ${told}`);
}

const tokenGuidance =
  'The API does not accept the token. Set IONOS_TOKEN to a valid one (`cumulet token generate`, or `cumulet env`), and start the tool server again.';

export const missingToken = (): Failure =>
  new Failure(
    'IONOS_TOKEN is not set. Give the tool server a token in its environment (`cumulet token generate` makes one), and start it again.',
  );

export type KeyPlace = 'environment' | 'headers'; // of the tool server, of a call to the gateway

export const missingStorageKey = (place: KeyPlace): string =>
  place === 'headers'
    ? 'A key is needed in the headers X-Ionos-S3-Access-Key and X-Ionos-S3-Secret-Key of the MCP connection (`cumulet env --aws` makes one).'
    : 'A key is needed in IONOS_S3_ACCESS_KEY and IONOS_S3_SECRET_KEY in the environment of the tool server (`cumulet env --aws` makes one).';

export const unreachable = (url: URL, error: Error): Failure =>
  new Failure(
    `${url.origin} does not answer: ${error.message || (error as NodeJS.ErrnoException).code}. Is IONOS_API_URL right?`,
  );
