// `state copy`, `state backup`, `state restore`
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { configOf } from '../../config/config.ts';
import { type Counts, totalOf } from '../../core/state/dump/dump.ts';
import { targetOf } from '../../core/state/dump/dump-file.ts';
import { askRegion, type Operations } from '../admin/operations.ts';
import { type Command, dataOption, type Input, jsonOption, type Option } from '../command.ts';
import { isLocked } from '../region/data-folder.ts';
import { print, printJson, table } from '../terminal.ts';
import { backUp, checkBackup, restore as restoreInto } from './backup.ts';
import { copyState } from './copy.ts';
import { locationOf, openForReading, openOffline } from './location.ts';
import { Progress } from './progress.ts';

const stateOption: Option = {
  name: 'state',
  takes: 'URL',
  help: 'the state, past any region that runs on the data folder: sqlite:FOLDER or postgres://… (CUMULET_STATE)',
};
const pollMs = 500;

export const copy: Command = {
  name: 'state copy',
  about:
    'Copies the whole state from one place to another and compares the two row by row. No region may run on either. ' +
    'A target that is not empty is replaced only with --replace; if both are equal already, nothing is copied. If it ' +
    'is interrupted while it copies, the target stays as it was; while it compares, the copy is complete. It can be ' +
    'repeated either way.',
  options: [
    { name: 'from', takes: 'URL', help: 'sqlite:FOLDER or postgres://… (the state in the data folder)' },
    { name: 'to', takes: 'URL', help: 'sqlite:FOLDER or postgres://…' },
    { name: 'replace', help: 'replace the state that is there' },
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet state copy --from sqlite:./data --to postgres://cloud@db.example/cloud', 'to PostgreSQL'],
    ['cumulet state copy --from postgres://cloud@db.example/cloud --to sqlite:./back', 'and back'],
  ],
  async run(input) {
    const from = await locationOf('from', input.get('from') ?? `sqlite:${input.data}`);
    const to = await locationOf('to', input.need('to', 'where the state is copied to'));
    const copied = await withProgress((progress) => copyState(from, to, input.has('replace'), progress));
    if (input.has('json')) printJson(copied);
    else {
      const { total, wasEqual, rows, key } = copied;
      if (wasEqual) print(`${from.label} and ${to.label} are the same already, row by row: ${total} rows.`);
      else
        print(`Copied ${total} rows from ${from.label} to ${to.label}${pace(copied)}, and compared them row by row.`);
      print(`\n${countsTable(rows)}\n\n${key}`);
    }
    return 0;
  },
};

export const backup: Command = {
  name: 'state backup',
  operands: 'FILE',
  mostOperands: 1,
  about:
    'Writes the whole state, as it is at one moment, to a file. A running region goes on serving. The key that ' +
    'opens its secrets, region.key, is not in the file: keep a copy of it elsewhere.',
  options: [{ name: 'force', help: 'overwrite the file' }, stateOption, jsonOption, dataOption],
  examples: [['cumulet state backup /backup/monday.state', 'of the region on ./data, running or not']],
  async run(input) {
    const asked = { file: fileOf(input), force: input.has('force') };
    targetOf(asked.file, asked.force); // reports problems with the file at once
    const made = await withProgress(async (progress) => {
      if (isServed(input)) return askRunningRegion(input, 'state/backup', asked, progress);
      progress.begin('Backing up');
      await using place = disposed(await openForReading(await stateOf(input)));
      return await backUp(place.engine, asked, progress.page);
    });
    if (input.has('json')) printJson(made);
    else print(`Wrote ${made.total} rows to ${made.file}${pace(made)}.`);
    return 0;
  },
};

export const restore: Command = {
  name: 'state restore',
  operands: 'FILE',
  mostOperands: 1,
  about:
    'Replaces the whole state by a backup. The file is checked first, and that the region key opens it. Then a running ' +
    'region stops, and serves the restored state on the same ports. If it fails or is interrupted, the old state stays.',
  options: [
    stateOption,
    { name: 'key', takes: 'FILE', help: 'the region key (region.key in the data folder)' },
    jsonOption,
    dataOption,
  ],
  examples: [['cumulet state restore /backup/monday.state', 'into the region on ./data, running or not']],
  async run(input) {
    const file = fileOf(input);
    const restored = await withProgress(async (progress) => {
      if (isServed(input)) return askRunningRegion(input, 'state/restore', { file }, progress);
      progress.begin('Checking');
      const checked = await checkBackup(file, configOf(given(input, 'data', 'key')).key, progress.page);
      await using place = disposed(await openOffline(await stateOf(input), 'target'));
      progress.begin('Restoring', totalOf(checked.rows));
      return await restoreInto(place.engine, file, checked, progress.page);
    });
    if (input.has('json')) printJson(restored);
    else print(`Restored ${restored.total} rows of ${restored.made} from ${file}${pace(restored)}.`);
    return 0;
  },
};

function fileOf(input: Input): string {
  const [file] = input.operands;
  if (file === undefined) throw new Fault('refused', 'The name of a file is missing.');
  if (file === '-') throw new Fault('refused', 'A file is expected, no pipe: name one (./- for one of that name).');
  return resolve(file);
}

// A named state or key is used instead of the running region's.
function isServed(input: Input): boolean {
  if (input.has('state') || !isLocked(input.data)) return false;
  if (input.has('key')) throw new Fault('refused', 'The region that runs has its own key: leave --key out.');
  return true;
}

const stateOf = (input: Input) => locationOf('state', configOf(given(input, 'data', 'state')).state);

const given = (input: Input, ...names: string[]): Map<string, string> =>
  new Map(names.flatMap((name) => (input.has(name) ? [[name, input.get(name) ?? '']] : [])));

const disposed = <T extends { close(): Promise<void> }>(place: T): T & AsyncDisposable =>
  Object.assign(place, { [Symbol.asyncDispose]: () => place.close() });

async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = new Progress();
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

// The running region does it; its progress is polled meanwhile.
async function askRunningRegion<K extends 'state/backup' | 'state/restore'>(
  input: Input,
  operation: K,
  asked: Operations[K][0],
  progress: Progress,
): Promise<Operations[K][1]> {
  const poll = async (): Promise<void> => {
    const { doing, rows, of } = await askRegion(input.data, 'state/progress', {});
    if (doing === '') return;
    progress.begin(doing, of);
    progress.to(rows);
  };
  const timer = setInterval(() => void poll().catch(() => {}), pollMs);
  try {
    return await askRegion(input.data, operation, asked, 0);
  } finally {
    clearInterval(timer);
  }
}

const pace = ({ total, tookMs }: { total: number; tookMs: number }): string =>
  tookMs < 1000 ? '' : ` in ${(tookMs / 1000).toFixed(1)} s (${Math.round((total / tookMs) * 1000)} rows a second)`;

function countsTable(rows: Counts): string {
  const lines = Object.entries(rows).map(([name, count]) => [name, String(count)]);
  return table(['TABLE', 'ROWS'], lines);
}
