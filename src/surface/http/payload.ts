// The platform's JSON payload of a failure, with its status and error codes.
import type { Fault, FaultKind } from '../../base/fault.ts';
import type { Reply, Statuses } from './exchange.ts';

export const statusOf: Record<FaultKind, number> = {
  refused: 422,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  method: 405,
  conflict: 409,
  oversized: 413,
  timeout: 408,
  throttled: 429,
  internal: 500,
  unavailable: 503,
};

// The platform's own codes, where they are known; otherwise the code is the status.
export type Codes = Partial<Record<FaultKind, string>>;
const codeOf: Codes = { refused: '100', unauthenticated: '315', missing: '309' };

export function payload(
  status: number,
  problems: readonly { code?: string; message: string }[],
  code = String(status),
): string {
  const messages = problems.map((problem) => ({ errorCode: problem.code ?? code, message: problem.message }));
  return JSON.stringify({ httpStatus: status, messages });
}

export const renderPlatformFault = (fault: Fault, statuses: Statuses = {}, codes: Codes = codeOf): Reply => {
  const status = statuses[fault.kind] ?? statusOf[fault.kind];
  const headers: string[] = [];
  if (fault.detail.retryAfterS !== undefined) headers.push('Retry-After', String(Math.ceil(fault.detail.retryAfterS)));
  if (fault.detail.allow) headers.push('Allow', fault.detail.allow.join(', '));
  if (status === 401) headers.push('WWW-Authenticate', 'Bearer realm="cumulet"');
  return { status, body: payload(status, fault.problems, codes[fault.kind]), headers };
};
