// `state copy`, `state backup`, `state restore`
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, type Input, jsonOption, type Option } from '../../command/command.ts';
import { print, printJson, size, table } from '../../command/terminal.ts';
import { configOf, enginesIn } from '../../config/config.ts';
import { type Counts, totalOf } from '../../core/state/dump/dump.ts';
import { targetOf } from '../../core/state/dump/dump-file.ts';
import { readHeader } from '../../core/state/dump/dump-reader.ts';
import { products } from '../../products.ts';
import {
  type BackupRequest,
  backUp,
  checkBackup,
  type Restored,
  type RestoreRequest,
  restore as restoreInto,
} from '../../region-data/backup.ts';
import { copyState } from '../../region-data/copy.ts';
import { hasState, isLocked } from '../../region-data/data-folder.ts';
import { locationOf, openForReading, openOffline, type StateLocation } from '../../region-data/location.ts';
import { backupParts, isUsual, type RegionPlace } from '../../region-data/parts.ts';
import { askRegion, type Operations } from '../admin/operations.ts';
import { confirm, yesOption } from '../confirmation.ts';
import { passphraseFor, passphraseOption } from './passphrase.ts';
import { Progress } from './progress.ts';

export const stateOption: Option = {
  name: 'state',
  takes: 'URL',
  help: "a state to use instead of the running region's: sqlite:FOLDER or postgres://… (CUMULET_STATE)",
};
const pollMs = 500;

export const copy: Command = {
  name: 'state copy',
  about:
    'Copies the whole state from one location to another and compares the two row by row. No region may run on either. ' +
    'A target with rows is replaced only with --replace. If both are already equal, nothing is copied. If the command ' +
    'is interrupted while it copies, the target is unchanged; while it compares, the copy is complete. It can be ' +
    'repeated in both cases.',
  options: [
    { name: 'from', takes: 'URL', help: 'sqlite:FOLDER or postgres://… (default: the state in the data folder)' },
    { name: 'to', takes: 'URL', help: 'sqlite:FOLDER or postgres://…' },
    { name: 'replace', help: 'replace an existing state' },
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet state copy --from sqlite:./data --to postgres://cloud@db.example/cloud', 'to PostgreSQL'],
    ['cumulet state copy --from postgres://cloud@db.example/cloud --to sqlite:./back', 'back to SQLite'],
  ],
  async run(input) {
    const from = await locationOf('from', input.get('from') ?? `sqlite:${input.data}`);
    const to = await locationOf('to', input.need('to', 'the target of the copy'));
    const copied = await withProgress((progress) => copyState(from, to, input.has('replace'), progress));
    if (input.has('json')) printJson(copied);
    else {
      const { total, wasEqual, rows, key } = copied;
      if (wasEqual) print(`${from.label} and ${to.label} are already equal, row by row: ${total} rows.`);
      else
        print(`Copied ${total} rows from ${from.label} to ${to.label}${pace(copied)}, and compared them row by row.`);
      print(`\n${countsTable(rows)}\n\n${key}`);
      if ((rows.object ?? 0) > 0 && to.folder !== undefined)
        print(`The bytes of objects are not copied: copy the folder objects of the data folder to ${to.folder} too.`);
    }
    return 0;
  },
};

// Parts that the rows refer to belong to every backup and check; the others are optional.
const [usual, optional] = [backupParts.filter(isUsual), backupParts.filter((part) => !isUsual(part))];
const usualNames = usual.map(({ name }) => name);
export const partOptions: readonly Option[] = usual.flatMap(({ name, what }) => [
  { name: `no-${name}`, help: `skip the ${what}` },
  { name, takes: 'URL', help: `for a stopped region: the --${name} that it was started with` },
]);
export const leftOut = (input: Input): string[] => usualNames.filter((name) => input.has(`no-${name}`));

export const keyOption: Option = {
  name: 'key',
  takes: 'FILE',
  help: 'the region key (default: region.key in the data folder)',
};

export const backup: Command = {
  name: 'state backup',
  operands: 'FILE',
  mostOperands: 1,
  about:
    'Writes a consistent copy of the whole state to a file, with the content of objects in buckets if it is stored ' +
    'in the data folder. A running region keeps serving. The key that opens its secrets, region.key, is not in the ' +
    'file. Store a copy of the key elsewhere, or create a portable backup, which any region can restore: its secrets are ' +
    'sealed with a passphrase.',
  options: [
    { name: 'portable', help: 'seal the secrets with a passphrase instead of the region key' },
    passphraseOption,
    ...optional.map(({ name, what }) => ({ name, help: `include the ${what} in the data folder` })),
    ...partOptions,
    { name: 'force', help: 'overwrite the file' },
    stateOption,
    keyOption,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet state backup /backup/monday.state', 'of the region on ./data, running or not'],
    ['cumulet state backup --portable --metrics team.state', 'for another region'],
  ],
  async run(input) {
    const force = input.has('force');
    const file = fileOf(input);
    targetOf(file, force); // reports problems with the file at once
    const passphrase = input.has('portable') ? { passphrase: await passphraseFor(input, true) } : {};
    const take = optional.map(({ name }) => name).filter((name) => input.has(name));
    const request: BackupRequest = { file, force, take, leaveOut: leftOut(input), ...passphrase };
    const made = await withProgress(async (progress) => {
      if (isServed(input)) return askRunningRegion(input, 'state/backup', request, progress);
      progress.begin('Backing up');
      const from = await stateOf(input);
      const place = placeOf(input, from);
      await using opened = disposed(await openForReading(from));
      return await backUp(opened.engine, place, request, progress.page);
    });
    if (input.has('json')) printJson(made);
    else {
      const { total, parts } = made;
      const some = parts.filter(({ bytes }) => bytes > 0).map(({ what, bytes }) => amount(bytes, what));
      const read = new Intl.ListFormat('en').format([`${total} rows`, ...some]);
      print(`Wrote ${read} to ${made.file}${pace(made)}.`);
      for (const { name, what, bytes, leftOut: why } of parts) {
        if (why !== undefined) print(`Skipped the ${what}: ${why}.`);
        else if (bytes === 0 && take.includes(name)) print(`The data folder has no ${what}, so the backup has none.`);
      }
    }
    return 0;
  },
};

export const restore: Command = {
  name: 'state restore',
  operands: 'FILE',
  mostOperands: 1,
  about:
    'Replaces the whole state by a backup, with the content of objects, the metrics and the log lines if the backup has ' +
    'them. It asks for ' +
    'confirmation if a state exists. First it checks the file, and that the region key or, for a portable backup, ' +
    'the passphrase opens it. Then a running region stops, and serves the restored state on the same ports. If the restore ' +
    'fails or is interrupted, the old state remains. With a portable backup, the accounts and passwords are those of the ' +
    'region that it was written from.',
  options: [yesOption, passphraseOption, ...partOptions, stateOption, keyOption, jsonOption, dataOption],
  examples: [
    ['cumulet state restore /backup/monday.state', 'into the region on ./data, running or not'],
    ['cumulet state restore --yes /backup/monday.state', 'in a script'],
  ],
  async run(input) {
    const file = fileOf(input);
    const { lock, time } = await readHeader(file);
    const passphrase = lock && { passphrase: await passphraseFor(input, false) };
    const request: RestoreRequest = { file, leaveOut: leftOut(input), ...passphrase };
    const replaced = `by the backup of ${time}; newer changes will be lost`;
    const restored = await withProgress(async (progress) => {
      if (isServed(input)) {
        await confirm(input, `The state of the region on ${input.data}`, `be replaced ${replaced}`);
        return askRunningRegion(input, 'state/restore', request, progress);
      }
      progress.begin('Checking');
      const to = await stateOf(input);
      const into = placeOf(input, to);
      const checked = await checkBackup(request, into, progress.page);
      if (await hasRows(to)) await confirm(input, `The state in ${to.label}`, `be replaced ${replaced}`);
      await using place = disposed(await openOffline(to, 'target'));
      progress.begin('Restoring', totalOf(checked.rows));
      return await restoreInto(place.engine, into, request, checked, progress.page);
    });
    if (input.has('json')) printJson(restored);
    else {
      print(`Restored ${restored.total} rows of ${restored.made} from ${file}${pace(restored)}.`);
      for (const line of restored.parts.flatMap((part) => partLine(part, restored.rows))) print(line);
    }
    return 0;
  },
};

// "5 KB of objects", not "5 KB of bytes of objects".
const amount = (bytes: number, what: string): string => `${size(bytes)} of ${what.replace(/^bytes of /, '')}`;

function partLine({ name, what, bytes, outcome }: Restored['parts'][number], rows: Counts): string[] {
  const neededBy = backupParts.find((part) => part.name === name)?.backup.neededBy;
  const isMissed = neededBy !== undefined && rows[neededBy] > 0;
  const missed = 'those deleted since the backup are missing';
  if (outcome === 'restored')
    return [`The ${what} were restored as well${neededBy === undefined ? '' : ` (${size(bytes)})`}.`];
  if (outcome === 'none') return isMissed ? [`The backup has no ${what}: ${missed}.`] : [];
  if (neededBy !== undefined) return isMissed ? [`Skipped the ${what}: ${missed}.`] : [];
  return [`Skipped the ${what} of the backup: this region stores its ${what} elsewhere (--${name}).`];
}

function fileOf(input: Input): string {
  const [file] = input.operands;
  if (file === undefined) throw new Fault('refused', "Name a file, such as '/backup/monday.state'.");
  if (file === '-') throw new Fault('refused', 'Pipes are not supported. Name a file (./- for a file called -).');
  return resolve(file);
}

// An option for the state or the key overrides the running region's.
export function isServed(input: Input): boolean {
  if (input.has('state') || !isLocked(input.data)) return false;
  if (input.has('key')) throw new Fault('refused', 'The running region has its own key. Omit --key.');
  const known = usualNames.find((name) => input.has(name));
  if (known !== undefined) throw new Fault('refused', `The running region has its own --${known}. Omit the option.`);
  return true;
}

// The data of a state in another folder is in the same folder, unless a data folder is named.
export function placeOf(input: Input, { folder }: StateLocation): RegionPlace {
  const config = configOf(given(input, 'data', 'key', ...usualNames), products);
  const { data: usual, key } = config;
  const data = input.has('state') && !input.has('data') ? (folder ?? usual) : usual;
  return { data, key, engines: enginesIn(config, products), isServed: isLocked(data) };
}

// A state that can't be read may have many rows.
async function hasRows(place: StateLocation): Promise<boolean> {
  if (place.folder !== undefined) return hasState(place.folder);
  await using opened = disposed(await openForReading(place));
  return (await opened.engine.range('resource', { below: '', limit: 1 })).length > 0;
}

export const stateOf = (input: Input) => locationOf('state', configOf(given(input, 'data', 'state'), products).state);

const given = (input: Input, ...names: string[]): Map<string, string> =>
  new Map(names.flatMap((name) => (input.has(name) ? [[name, input.get(name) ?? '']] : [])));

export const disposed = <T extends { close(): Promise<void> }>(place: T): T & AsyncDisposable =>
  Object.assign(place, { [Symbol.asyncDispose]: () => place.close() });

export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = new Progress();
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

// The running region does the work; its progress is polled until it has ended.
async function askRunningRegion<K extends 'state/backup' | 'state/restore'>(
  input: Input,
  operation: K,
  request: Operations[K][0],
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
    return await askRegion(input.data, operation, request, 0);
  } finally {
    clearInterval(timer);
  }
}

function pace({ total, tookMs }: { total: number; tookMs: number }): string {
  if (tookMs < 1000) return '';
  const rate = total < 10_000 ? '' : ` (${Math.round((total / tookMs) * 1000)} rows a second)`;
  return ` in ${(tookMs / 1000).toFixed(1)} s${rate}`;
}

function countsTable(rows: Counts): string {
  const lines = Object.entries(rows).map(([name, count]) => [name, String(count)]);
  return table(['TABLE', 'ROWS'], lines);
}
