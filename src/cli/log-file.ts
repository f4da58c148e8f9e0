// Logs of a running region: lines are gathered and written once per turn of the event loop, at once where they tell of
// an error. A log that can't be written must never stop the region, so a full disk only loses lines.
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { createLog, type Log } from '../base/log.ts';

export interface LogFileOptions {
  mostBytes?: number; // of one file
  kept?: number; // older files beside it
}

export interface LineSink {
  write(line: string): void;
  flush(): void;
}

export function gathered(put: (text: string) => void): LineSink {
  let waiting: string[] = [];
  const flush = (): void => {
    if (waiting.length === 0) return;
    const text = waiting.join('');
    waiting = [];
    put(text);
  };
  return {
    write(line) {
      if (waiting.push(line) === 1) setImmediate(flush);
    },
    flush,
  };
}

export function openLogFile(path: string, { mostBytes = 8 * 1024 * 1024, kept = 3 }: LogFileOptions = {}): LineSink {
  let file: number | undefined;
  let size = 0;
  const open = (): number => {
    const handle = openSync(path, 'a', 0o600);
    size = fstatSync(handle).size;
    return handle;
  };
  const rotate = (): void => {
    for (let age = kept; age >= 1; age--) {
      try {
        renameSync(age === 1 ? path : `${path}.${age - 1}`, `${path}.${age}`);
      } catch {
        // not that many yet
      }
    }
  };
  return gathered((text) => {
    try {
      file ??= open();
      if (size > 0 && size + text.length > mostBytes) {
        closeSync(file);
        file = undefined;
        rotate();
        file = open();
      }
      size += writeSync(file, text);
    } catch {
      // the region goes on without these lines
    }
  });
}

export function sinkLog(sink: LineSink, now: () => number): Log {
  const log = createLog(sink.write, now);
  return {
    ...log,
    error(message, fields) {
      log.error(message, fields);
      sink.flush();
    },
  };
}

const quietMs = 5000;

// Warnings and errors, in one line each for whoever watches; what repeats is said every few seconds only.
export function screenLog(under: Log, put: (line: string) => void, now: () => number): Log {
  const saidAt = new Map<string, number>();
  const say = (word: string, message: string, error: unknown): void => {
    const line = `${word}: ${message}${error instanceof Error ? ` (${error.message.split('\n')[0]})` : ''}`;
    if (now() - (saidAt.get(line) ?? 0) < quietMs) return;
    if (saidAt.size > 100) saidAt.clear();
    saidAt.set(line, now());
    put(`cumulet: ${line}\n`);
  };
  return {
    info: under.info,
    warn(message, fields) {
      under.warn(message, fields);
      say('warning', message, fields?.error);
    },
    error(message, fields) {
      under.error(message, fields);
      say('error', message, fields?.error);
    },
  };
}
