// Structured logs: one JSON line each. Only changes, errors and slow calls are worth a line. Errors are written with
// their stack, except those that a message explains; a Fault's public message is apart from its cause. No secret is
// ever handed to it. Lines of a call that is part of a trace have the ids of the trace.

import { iso } from './clock.ts';
import { Fault } from './fault.ts';
import { traceFields } from './trace/trace-context.ts';

export type Level = 'info' | 'warn' | 'error';
export type Fields = Record<string, unknown>;

export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

export function createLog(write: (line: string) => void, now: () => number): Log {
  const line = (level: Level, message: string, fields: Fields = {}): void =>
    write(`${JSON.stringify({ time: iso(now()), level, message, ...fields, ...traceFields() }, withoutErrors)}\n`);
  return {
    info: (message, fields) => line('info', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    error: (message, fields) => line('error', message, fields),
  };
}

export const silent: Log = { info() {}, warn() {}, error() {} };

const withoutErrors = (_: string, value: unknown): unknown => (value instanceof Error ? plain(value) : value);

// Refusals with their causes, and failed calls of the system, have no stack. The first stack of a process takes up to a
// second, because its source map is parsed, and all calls wait for that.
const plain = (error: Error, isExplained = error instanceof Fault || 'syscall' in error): Fields => {
  const { code } = error as NodeJS.ErrnoException;
  return {
    name: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(!isExplained && { stack: error.stack?.split('\n').slice(1, 12).join('\n') }),
    ...(error.cause instanceof Error && { cause: plain(error.cause, isExplained || undefined) }),
  };
};
