// Logs of a running region: lines are buffered and written once per turn of the event loop, errors at once. A log that
// can't be written must never stop the region: a full disk loses lines, but only whole ones, so that the file stays
// readable line by line.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { createLog, type Log } from '../../base/log.ts';

export interface LogFileOptions {
  mostBytes?: number; // of one file
  kept?: number; // number of older files
  write?: (file: number, bytes: Uint8Array, from: number) => number; // returns the bytes written
}

export interface LineSink {
  write(line: string): void;
  flush(): void;
}

export function bufferedSink(put: (text: string) => void): LineSink {
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

export function openLogFile(path: string, options: LogFileOptions = {}): LineSink {
  const { mostBytes = 8 * 1024 * 1024, kept = 3, write = writeSync } = options;
  let file: number | undefined;
  let size = 0;
  let isCut = false; // the file ends in the middle of a line
  const open = (): number => {
    const handle = openSync(path, 'a+', 0o600);
    size = fstatSync(handle).size;
    isCut = size > 0 && !endsWithLine(handle, size);
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
  const append = (handle: number, bytes: Buffer): void => {
    let done = 0;
    try {
      while (done < bytes.length) done += write(handle, bytes, done);
      isCut = false;
    } catch {
      const whole = done === 0 ? 0 : bytes.lastIndexOf(newLine, done - 1) + 1;
      if (whole > 0) isCut = false;
      if (whole < done && !cutOff(handle, done - whole)) isCut = true;
      // the region continues without the rest
    }
    size = fstatSync(handle).size;
  };
  return bufferedSink((text) => {
    try {
      const bytes = Buffer.from(text);
      file ??= open();
      if (size > 0 && size + bytes.length > mostBytes) {
        closeSync(file);
        file = undefined;
        rotate();
        file = open();
      }
      append(file, isCut ? Buffer.concat([Buffer.of(newLine), bytes]) : bytes);
    } catch {
      // the region continues without these lines
    }
  });
}

const newLine = 10;

function endsWithLine(handle: number, size: number): boolean {
  const last = Buffer.alloc(1);
  readSync(handle, last, 0, 1, size - 1);
  return last[0] === newLine;
}

function cutOff(handle: number, bytes: number): boolean {
  try {
    ftruncateSync(handle, fstatSync(handle).size - bytes);
    return true;
  } catch {
    return false;
  }
}

export function bufferedLog(sink: LineSink, now: () => number): Log {
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

// Shows warnings and errors on the terminal, one line each; a repeated one only every few seconds.
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
