// The parent of testing-process.ts: starts it, sends it commands, kills it, and reads the objects that it wrote.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { recordsIn } from './testing.ts';
import { type Command, objectsFolder } from './testing-commands.ts';

type Unnumbered<One> = One extends unknown ? Omit<One, 'number'> : never;

export class Capturing {
  readonly #folder = mkdtempSync(join(tmpdir(), 'cumulet-flows-'));
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #child: ChildProcess | undefined;
  #count = 0;

  constructor(t: TestContext) {
    t.after(async () => {
      await this.kill();
      rmSync(this.#folder, { recursive: true });
    });
  }

  async start(time: number): Promise<void> {
    const child = fork(join(import.meta.dirname, 'testing-process.ts'), [this.#folder, String(time)]);
    this.#child = child;
    child.on('message', ({ number, result }: { number: number; result: unknown }) => {
      this.#waiting.get(number)?.resolve(result);
      this.#waiting.delete(number);
    });
    child.once('exit', () => this.#end());
    await new Promise((resolve, reject) => this.#waiting.set(0, { resolve, reject }));
  }

  // Rejects if the process ends before it has replied.
  tell<T>(command: Unnumbered<Command>): Promise<T> {
    const number = ++this.#count;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(number, { resolve: resolve as (result: unknown) => void, reject });
      if (!this.#child?.send({ ...command, number })) this.#child?.once('exit', () => this.#end());
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  // Each object with its records, one at a time: a day has millions of them.
  *objects(): Generator<[key: string, records: string[][]]> {
    const folder = objectsFolder(this.#folder);
    for (const key of readdirSync(folder)) yield [key, recordsIn(readFileSync(join(folder, key)))];
  }

  #end(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('the process has ended'));
    this.#waiting.clear();
  }
}
