// Copies new lines of a node's log file to the log of its cluster, starting at the current end of the file.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Level, Log } from '../../../../base/log.ts';

const mostBytes = 256 * 1024; // at a time
const levels: Record<string, Level> = { INFO: 'info', WARN: 'warn', ERROR: 'error', FATAL: 'error' };

export class LogFollower {
  readonly #path: string;
  readonly #log: Log;
  readonly #node: number;
  #at: number;
  #rest = '';

  constructor(path: string, node: number, log: Log) {
    this.#path = path;
    this.#node = node;
    this.#log = log;
    this.#at = sizeOf(path);
  }

  // A file that became shorter was replaced by a new one.
  read(): void {
    let file: number;
    try {
      file = openSync(this.#path, 'r');
    } catch {
      return; // not written yet
    }
    try {
      const { size } = fstatSync(file);
      if (size < this.#at) this.#at = 0;
      const buffer = Buffer.alloc(Math.min(size - this.#at, mostBytes));
      this.#at += readSync(file, buffer, 0, buffer.length, this.#at);
      const lines = `${this.#rest}${buffer.toString()}`.split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#writeLine(line);
    } finally {
      closeSync(file);
    }
  }

  // A line without a level belongs to the line before it, such as the stack of an error.
  #writeLine(line: string): void {
    const [, word = '', logger = '', message = line] = /^([A-Z]+) (\S+) (.*)$/.exec(line) ?? [];
    const level = levels[word];
    if (level) this.#log[level](message, { node: this.#node, logger });
  }
}

function sizeOf(path: string): number {
  try {
    const file = openSync(path, 'r');
    const { size } = fstatSync(file);
    closeSync(file);
    return size;
  } catch {
    return 0;
  }
}
