// `state copy`, `state backup`, `state restore`
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { configOf } from '../../config/config.ts';
import { type Counts, totalOf } from '../../core/state/dump/dump.ts';
import { targetOf } from '../../core/state/dump/dump-file.ts';
import { readHeader } from '../../core/state/dump/dump-reader.ts';
import { askRegion, type Operations } from '../admin/operations.ts';
import { type Command, dataOption, type Input, jsonOption, type Option } from '../command.ts';
import { confirm, yesOption } from '../confirmation.ts';
import { hasState, isLocked } from '../region/data-folder.ts';
import { print, printJson, size, table } from '../terminal.ts';
import {
  type BackupPlace,
  type BackupRequest,
  backUp,
  checkBackup,
  type RestoreRequest,
  restore as restoreInto,
} from './backup.ts';
import { copyState } from './copy.ts';
import { locationOf, openForReading, openOffline, type StateLocation } from './location.ts';
import { passphraseFor, passphraseOption } from './passphrase.ts';
import { Progress } from './progress.ts';

export const stateOption: Option = {
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
      if ((rows.object ?? 0) > 0 && to.folder !== undefined)
        print(`The bytes of objects are not copied: copy the folder objects of the data folder to ${to.folder} too.`);
    }
    return 0;
  },
};

export const objectsOption: Option = {
  name: 'objects',
  takes: 'URL',
  help: 'of a stopped region: the --objects that it was started with',
};
export const keyOption: Option = { name: 'key', takes: 'FILE', help: 'the region key (region.key in the data folder)' };

export const backup: Command = {
  name: 'state backup',
  operands: 'FILE',
  mostOperands: 1,
  about:
    'Writes the whole state, as it is at one moment, to a file, with the bytes of objects in buckets if they are kept ' +
    'in the data folder. A running region goes on serving. The key that opens its secrets, region.key, is not in the ' +
    'file: keep a copy of it elsewhere, or make a portable backup, which any region can restore: its secrets are ' +
    'sealed with a passphrase.',
  options: [
    { name: 'portable', help: 'seal the secrets with a passphrase instead of the region key' },
    passphraseOption,
    { name: 'metrics', help: 'with the pushed metrics that are kept in the data folder' },
    { name: 'logs', help: 'with the log lines that are kept in the data folder' },
    { name: 'no-objects', help: 'without the bytes of objects' },
    { name: 'force', help: 'overwrite the file' },
    stateOption,
    objectsOption,
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
    const objects = !input.has('no-objects');
    const folders = { metrics: input.has('metrics'), logs: input.has('logs') };
    const asked: BackupRequest = { file, force, ...folders, objects, ...passphrase };
    const made = await withProgress(async (progress) => {
      if (isServed(input)) return askRunningRegion(input, 'state/backup', asked, progress);
      progress.begin('Backing up');
      const from = await stateOf(input);
      const place = placeOf(input, from);
      await using opened = disposed(await openForReading(from));
      return await backUp(opened.engine, place, asked, progress.page);
    });
    if (input.has('json')) printJson(made);
    else {
      const { total, metricBytes, logBytes, objectBytes, objectsLeftOut } = made;
      const rows = [`${total} rows`];
      if (metricBytes > 0) rows.push(`${size(metricBytes)} of metrics`);
      if (logBytes > 0) rows.push(`${size(logBytes)} of log lines`);
      if (objectBytes > 0) rows.push(`${size(objectBytes)} of objects`);
      print(`Wrote ${new Intl.ListFormat('en').format(rows)} to ${made.file}${pace(made)}.`);
      if (asked.metrics && metricBytes === 0) print('No metrics are kept in the data folder, so there are none in it.');
      if (asked.logs && logBytes === 0) print('No log lines are kept in the data folder, so there are none in it.');
      if (objectsLeftOut !== undefined) print(`The bytes of objects are not in it: ${objectsLeftOut}.`);
    }
    return 0;
  },
};

export const restore: Command = {
  name: 'state restore',
  operands: 'FILE',
  mostOperands: 1,
  about:
    'Replaces the whole state by a backup, with the bytes of objects, the metrics and the log lines if the backup has ' +
    'some. It asks ' +
    'before, unless there is no state yet. The file is checked first, and that the region key or, of a portable one, ' +
    'the passphrase opens it. Then a running region stops, and serves the restored state on the same ports. If it ' +
    'fails or is interrupted, the old state stays. With a portable backup, the accounts and passwords are those of the ' +
    'region that it was made of.',
  options: [
    yesOption,
    passphraseOption,
    { name: 'no-objects', help: 'without the bytes of objects' },
    stateOption,
    objectsOption,
    keyOption,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet state restore /backup/monday.state', 'into the region on ./data, running or not'],
    ['cumulet state restore --yes /backup/monday.state', 'in a script'],
  ],
  async run(input) {
    const file = fileOf(input);
    const { lock, time } = await readHeader(file);
    const passphrase = lock && { passphrase: await passphraseFor(input, false) };
    const asked: RestoreRequest = { file, objects: !input.has('no-objects'), ...passphrase };
    const replaced = `by the backup of ${time}, and what is newer be lost`;
    const restored = await withProgress(async (progress) => {
      if (isServed(input)) {
        await confirm(input, `The state of the region on ${input.data}`, `be replaced ${replaced}`);
        return askRunningRegion(input, 'state/restore', asked, progress);
      }
      progress.begin('Checking');
      const to = await stateOf(input);
      const into = placeOf(input, to);
      const checked = await checkBackup(asked, into, progress.page);
      if (await hasRows(to)) await confirm(input, `The state in ${to.label}`, `be replaced ${replaced}`);
      await using place = disposed(await openOffline(to, 'target'));
      progress.begin('Restoring', totalOf(checked.rows));
      return await restoreInto(place.engine, into, asked, checked, progress.page);
    });
    if (input.has('json')) printJson(restored);
    else {
      print(`Restored ${restored.total} rows of ${restored.made} from ${file}${pace(restored)}.`);
      if (restored.metrics !== 'none') print(metricsLine[restored.metrics]);
      if (restored.logs !== 'none') print(logsLine[restored.logs]);
      const { rows, objects } = restored;
      if (objects === 'restored')
        print(`The bytes of objects are those of the backup (${size(restored.objectBytes)}).`);
      else if ((rows.object ?? 0) > 0) print(objectsLine[objects]);
    }
    return 0;
  },
};

const objectsLine = {
  none: 'The bytes of objects were not in the backup: those of objects that were removed since are missing.',
  'left out': 'The bytes of objects were left out: those of objects that were removed since are missing.',
};

const metricsLine = {
  restored: 'The metrics are those of the backup too.',
  'left out': "The backup's metrics were left out: this region keeps metrics elsewhere (--metrics).",
};

const logsLine = {
  restored: 'The log lines are those of the backup too.',
  'left out': "The backup's log lines were left out: this region keeps log lines elsewhere (--logs).",
};

function fileOf(input: Input): string {
  const [file] = input.operands;
  if (file === undefined) throw new Fault('refused', 'The name of a file is missing.');
  if (file === '-') throw new Fault('refused', 'A file is expected, no pipe: name one (./- for one of that name).');
  return resolve(file);
}

// A named state or key is used instead of the running region's.
export function isServed(input: Input): boolean {
  if (input.has('state') || !isLocked(input.data)) return false;
  if (input.has('key')) throw new Fault('refused', 'The region that runs has its own key: leave --key out.');
  if (input.has('objects')) throw new Fault('refused', 'The region that runs knows its --objects: leave it out.');
  return true;
}

// The data of a state in another folder is there too, unless a data folder is named.
export function placeOf(input: Input, { folder }: StateLocation): BackupPlace {
  const { data: usual, key, monitoring, logging, objects } = configOf(given(input, 'data', 'key', 'objects'));
  const data = input.has('state') && !input.has('data') ? (folder ?? usual) : usual;
  const engines = { metrics: monitoring.engine, logs: logging.engine };
  return { data, key, engines, objects: objects.engine, isServed: isLocked(data) };
}

// One that can't be read may hold much.
async function hasRows(place: StateLocation): Promise<boolean> {
  if (place.folder !== undefined) return hasState(place.folder);
  await using opened = disposed(await openForReading(place));
  return (await opened.engine.range('resource', { below: '', limit: 1 })).length > 0;
}

export const stateOf = (input: Input) => locationOf('state', configOf(given(input, 'data', 'state')).state);

const given = (input: Input, ...names: string[]): Map<string, string> =>
  new Map(names.flatMap((name) => (input.has(name) ? [[name, input.get(name) ?? '']] : [])));

export const disposed = <T extends { close(): Promise<void> }>(place: T): T & AsyncDisposable =>
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

function pace({ total, tookMs }: { total: number; tookMs: number }): string {
  if (tookMs < 1000) return '';
  const rate = total < 10_000 ? '' : ` (${Math.round((total / tookMs) * 1000)} rows a second)`;
  return ` in ${(tookMs / 1000).toFixed(1)} s${rate}`;
}

function countsTable(rows: Counts): string {
  const lines = Object.entries(rows).map(([name, count]) => [name, String(count)]);
  return table(['TABLE', 'ROWS'], lines);
}
