// The console output of machines in earlier boots, and the notes of the region: one bounded file per machine. The lines
// of the current boot are the log of its container.
import { mkdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ConsoleLine {
  at: number;
  text: string; // with its line break, if it has one
}

const mostLines = 1000;
const mostBytes = 100_000;

export class ConsoleStore {
  readonly #folder: string;
  readonly #turns = new Map<string, Promise<void>>();

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  async read(id: string): Promise<ConsoleLine[]> {
    await this.#turns.get(id);
    return this.#load(id);
  }

  add(id: string, lines: readonly ConsoleLine[]): Promise<void> {
    return this.#inTurn(id, async () => {
      const all = bounded([...(await this.#load(id)), ...lines]);
      await writeFile(this.#file(id), all.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
    });
  }

  remove(id: string): Promise<void> {
    return this.#inTurn(id, () => rm(this.#file(id), { force: true }));
  }

  async #load(id: string): Promise<ConsoleLine[]> {
    const text = await readFile(this.#file(id), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ConsoleLine);
  }

  #file(id: string): string {
    return join(this.#folder, `${id.replaceAll(/[^0-9a-z-]/g, '_')}.jsonl`);
  }

  #inTurn(id: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(id) ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#turns.set(id, turn);
    return turn.finally(() => {
      if (this.#turns.get(id) === turn) this.#turns.delete(id);
    });
  }
}

export function bounded(lines: readonly ConsoleLine[]): ConsoleLine[] {
  const kept = lines.slice(-mostLines);
  let bytes = kept.reduce((sum, { text }) => sum + text.length, 0);
  let from = 0;
  for (; bytes > mostBytes && from < kept.length; from++) bytes -= kept[from]?.text.length ?? 0;
  return kept.slice(from);
}

const esc = String.fromCharCode(27);
const control = new RegExp(
  `${esc}(?:\\[[0-9;?]*[ -/]*[@-~]|[@-Z\\\\-_]|\\][^${String.fromCharCode(7)}]*${String.fromCharCode(7)})|\\r`,
  'g',
);

// The lines of a container's log with times, as the engine prefixes them. Colours and other control sequences are
// removed.
export function linesOf(log: string): ConsoleLine[] {
  const lines: ConsoleLine[] = [];
  for (const line of log.split('\n')) {
    const [, time, text] = /^(\S+Z) ?(.*)$/s.exec(line) ?? [];
    if (time === undefined) continue;
    lines.push({ at: Date.parse(time), text: `${(text ?? '').replaceAll(control, '')}\n` });
  }
  return lines;
}

// A login prompt leaves its line open.
export const screenOf = (lines: readonly ConsoleLine[]): string =>
  lines
    .map(({ text }) => text)
    .join('')
    .replace(/(login: )\n$/, '$1');
