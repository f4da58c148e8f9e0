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

export const missingStorageKey = (): Failure =>
  new Failure(
    'This tool reads object storage by the S3 protocol and needs IONOS_S3_ACCESS_KEY and IONOS_S3_SECRET_KEY in the environment of the tool server (`cumulet env --aws` makes them).',
  );

export const unreachable = (url: URL, error: Error): Failure =>
  new Failure(
    `${url.origin} does not answer: ${error.message || (error as NodeJS.ErrnoException).code}. Is IONOS_API_URL right?`,
  );
