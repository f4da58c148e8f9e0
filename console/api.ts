// Calls of the platform's own interfaces, with the session of whoever is signed in. The header is what tells a call of
// the console from one that another page makes the browser send. A failure carries the platform's own words.

export interface Problem {
  errorCode: string;
  message: string;
}

export class ApiError extends Error {
  readonly status: number; // 0: no answer at all
  readonly problems: readonly Problem[];

  constructor(status: number, problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join(' '));
    this.status = status;
    this.problems = problems;
  }
}

export interface CallOptions {
  body?: unknown;
  signal?: AbortSignal;
}

// What all calls are about: the contract, and what to do when nobody is signed in any more.
interface Scope {
  contract: number | undefined;
  onSignedOut: () => void;
}

export const scope: Scope = { contract: undefined, onSignedOut: () => undefined };

const sessionPath = '/console/session';

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: {
      Accept: 'application/json',
      'X-Console': '1',
      ...(scope.contract !== undefined && { 'X-Contract-Number': String(scope.contract) }),
      ...(options.body !== undefined && { 'Content-Type': 'application/json' }),
    },
    cache: 'no-store',
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    ...(options.signal && { signal: options.signal }),
  }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, [{ errorCode: '0', message: 'The region does not answer. Is it running?' }]);
  });
  const value = await jsonOf(response);
  if (response.ok) return value as T;
  if (response.status === 401 && path !== sessionPath) scope.onSignedOut();
  throw new ApiError(response.status, problemsOf(response, value));
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemsOf(response: Response, value: unknown): Problem[] {
  const { messages } = (value ?? {}) as { messages?: Problem[] };
  if (Array.isArray(messages) && messages.length > 0) return messages;
  return [{ errorCode: String(response.status), message: `The region answered ${response.status}.` }];
}

// The sentences of a failure, without the place in the body that the platform puts in front.
export function sentencesOf(error: unknown): string[] {
  if (error instanceof ApiError) return error.problems.map(({ message }) => plainMessage(message));
  return [error instanceof Error ? error.message : String(error)];
}

export const plainMessage = (message: string): string => message.replace(/^\[[^\]]*\]\s*/, '');
