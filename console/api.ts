// HTTP client of the console. Calls use the session of the signed-in user. The X-Console header protects against
// requests that another site makes the browser send. An error has the messages of the platform.
import { pageKey } from './account/page-key.ts';
import { requestIdOf } from './requests/request-location.ts';

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

// The region does not answer, or is starting. A browser reports code that it can't load as a TypeError.
export const isTemporary = (error: unknown): boolean =>
  (error instanceof TypeError && /module/.test(error.message)) ||
  (error instanceof ApiError && (error.status === 0 || error.status === 503));

// The contract that all calls are about, and what to do when the session has ended.
interface Scope {
  contract: number | undefined;
  onSignedOut: () => void;
}

export const scope: Scope = { contract: undefined, onSignedOut: () => undefined };

const sessionPath = '/console/session';

export interface CallOptions {
  body?: unknown;
  signal?: AbortSignal;
}

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await sendBody(method, path, options);
  const value = await jsonOf(response);
  if (response.ok) return value as T;
  throw failureOf(response, value);
}

// The response to a change: the value, and the id of the asynchronous request, if there is one.
export interface Changed<T> {
  value: T;
  request: string | undefined;
}

export async function change<T>(method: string, path: string, options: CallOptions = {}): Promise<Changed<T>> {
  const response = await sendBody(method, path, options);
  const value = await jsonOf(response);
  if (!response.ok) throw failureOf(response, value);
  return { value: value as T, request: requestIdOf(response.headers.get('Location')) };
}

function sendBody(method: string, path: string, { body, signal }: CallOptions): Promise<Response> {
  return send(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    ...(signal && { signal }),
  });
}

// Sends a request with the session. It throws ApiError when the region does not answer.
export function send(path: string, { headers, ...options }: RequestInit): Promise<Response> {
  return fetch(path, {
    ...options,
    headers: {
      Accept: 'application/json',
      'X-Console': pageKey(),
      ...(scope.contract !== undefined && { 'X-Contract-Number': String(scope.contract) }),
      ...headers,
    },
    cache: 'no-store',
  })
    .then((response) => {
      if (response.status === 401 && path !== sessionPath) scope.onSignedOut();
      return response;
    })
    .catch((error: unknown) => {
      if (options.signal?.aborted) throw error;
      throw new ApiError(0, [{ errorCode: '0', message: 'The region does not answer. Is it running?' }]);
    });
}

export async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function failureOf({ status }: Response, value: unknown): ApiError {
  const { messages } = (value ?? {}) as { messages?: Problem[] };
  if (Array.isArray(messages) && messages.length > 0) return new ApiError(status, messages);
  return new ApiError(status, [{ errorCode: String(status), message: `The region answered ${status}.` }]);
}

// True if the caller aborted the call.
export const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

// The messages of an error without the leading `[path]` of the platform.
export function sentencesOf(error: unknown): string[] {
  if (error instanceof ApiError) return error.problems.map(({ message }) => plainMessage(message));
  return [error instanceof Error ? error.message : String(error)];
}

export const plainMessage = (message: string): string => message.replace(/^\[\S*\]\s+/, '');
