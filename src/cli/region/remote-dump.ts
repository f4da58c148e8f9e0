// `seed --dump --from`: dumps a contract of the platform or of another region, in this process. Only GET and HEAD are
// sent.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import type { Input } from '../../command/command.ts';
import { print } from '../../command/terminal.ts';
import { environment } from '../../config/environment.ts';
import { readEndpoints } from '../../seeds/dump/addresses.ts';
import { dumpText } from '../../seeds/dump/dump-text.ts';
import { Journal } from '../../seeds/dump/journal.ts';
import { ObjectFolder } from '../../seeds/dump/object-folder.ts';
import type { StorageKey } from '../../seeds/dump/read-buckets.ts';
import { type RemoteDump, remoteDump } from '../../seeds/dump/remote-dump.ts';
import { Progress } from '../state/progress.ts';
import { declaredTarget } from './contract-copies.ts';
import { sourceAddress } from './source-address.ts';

export async function dumpRemote(input: Input): Promise<void> {
  await readRemote(input, remoteDump, ({ seed, notes }) =>
    write(input, dumpText(seed, notes, input.has('json')), notes),
  );
}

// Reads the source that the options name. An interrupted read with --output continues.
export async function readRemote<T>(
  input: Input,
  read: (options: RemoteDump) => Promise<T>,
  use: (done: T) => void | Promise<void>,
): Promise<void> {
  const from = sourceAddress(input.need('from', 'the address of the platform'));
  const output = input.get('output');
  const given = input.get('endpoints') === undefined ? [] : readEndpoints(input.need('endpoints', 'a file'));
  const token = tokenOf(input);
  const storage = storageOf(input);
  const datacenter = input.get('datacenter');
  const partial = output === undefined ? undefined : `${output}.partial`;
  const journal = partial === undefined ? undefined : new Journal(partial, { from, datacenter: datacenter ?? '' });
  if (journal && journal.size > 0) process.stderr.write(`cumulet: continues the dump in ${partial}.\n`);
  const progress = new Progress();
  progress.begin('reading');
  const done = await read({
    from,
    ...(await declaredTarget()),
    ...storage,
    given,
    token,
    datacenter,
    isAnonymous: input.has('anonymise'),
    journal,
    onProgress: ({ lists, known, resources }) => progress.share(lists, known, `lists, ${resources} resources`),
  }).finally(() => progress.end());
  await use(done);
  journal?.remove();
}

export function write(input: Input, text: string, notes: readonly string[]): void {
  writeText(input, text);
  // JSON has no comments.
  if (input.has('json')) for (const note of notes) process.stderr.write(`cumulet: ${note}\n`);
}

export function writeText(input: Input, text: string): void {
  const output = input.get('output');
  if (output === undefined) process.stdout.write(text);
  else {
    writePrivately(output, text);
    print(`Wrote ${output}.`);
  }
}

// It describes a whole company.
function writePrivately(file: string, text: string): void {
  try {
    rmSync(file, { force: true });
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new Fault('refused', `${file} can't be written: ${fileError(error)}.`, { cause: error });
  }
}

function tokenOf(input: Input): string {
  const file = input.get('token-file');
  const token = file === undefined ? environment.token() : linesOf(file)[0];
  if (token === undefined) {
    const where =
      file === undefined ? 'Write one to a file and pass --token-file, or set IONOS_TOKEN' : `${file} is empty`;
    throw new Fault('refused', `There is no token. ${where}.`);
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const where = file === undefined ? 'IONOS_TOKEN' : `the first line of ${file}`;
    throw new Fault('refused', `In ${where} is a space or another character that no token has.`);
  }
  return token;
}

function linesOf(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split(/\r?\n/);
    return lines.map((line) => line.trim()).filter((line) => line !== '');
  } catch (error) {
    throw new Fault('refused', `${file} can't be read: ${fileError(error)}.`, { cause: error });
  }
}

function storageOf(input: Input): Pick<RemoteDump, 'storageKey' | 'objects'> {
  const objects = objectsOf(input);
  const file = input.get('s3-key-file');
  if (file === undefined && objects) throw new Fault('refused', '--objects needs --s3-key-file.');
  return { objects, storageKey: file === undefined ? undefined : storageKey(file) };
}

// Two lines, or the two names of a credentials file of AWS.
function storageKey(file: string): StorageKey {
  const lines = linesOf(file).filter((line) => !/^[[#;]/.test(line));
  const [accessKey, secretKey] = lines.map((line) => line.replace(/^\w+\s*=\s*/, ''));
  if (accessKey !== undefined && secretKey !== undefined && lines.length === 2) return { accessKey, secretKey };
  throw new Fault('refused', `${file} must have two lines: the access key and the secret key.`);
}

const usualMostBytes = 1e9;
const units: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

function objectsOf(input: Input): ObjectFolder | undefined {
  const most = input.get('objects-max');
  if (!input.has('objects')) {
    if (most !== undefined) throw new Fault('refused', '--objects-max needs --objects.');
    return undefined;
  }
  const output = input.need('output', 'objects are stored next to it');
  const [, number = '', unit = ''] = /^(\d{1,6})(KB|MB|GB|TB)$/i.exec(most ?? '') ?? [];
  const bytes = Number(number) * (units[unit.toUpperCase()] ?? 0);
  if (most !== undefined && bytes === 0)
    throw new Fault('refused', `--objects-max expects a size such as 500MB or 2GB, not '${most}'.`);
  return new ObjectFolder(resolve(`${output.replace(/\.(ya?ml|json)$/, '')}.objects`), bytes || usualMostBytes);
}
