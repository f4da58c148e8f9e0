// The passphrase of a portable backup or an export: from a file, from CUMULET_PASSPHRASE, or typed on a terminal, where
// it is not shown. It is no option's value, which other users of the machine could read in the list of processes.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Fault } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import { environment } from '../../config/environment.ts';
import type { Input, Option } from '../command.ts';

export const passphraseOption: Option = {
  name: 'passphrase-file',
  takes: 'FILE',
  help: 'its first line is the passphrase of the file, 8 characters or more (CUMULET_PASSPHRASE, or it is asked for)',
};

// `isNew`: it is typed twice. `what` has it.
export async function passphraseFor(input: Input, isNew: boolean, what = 'A portable backup'): Promise<string> {
  const file = input.get('passphrase-file');
  const given = file === undefined ? environment.passphrase() : firstLineOf(file);
  if (given !== undefined) return given;
  if (!process.stdin.isTTY)
    throw new Fault(
      'refused',
      `${what} has a passphrase: give it with --passphrase-file FILE or in CUMULET_PASSPHRASE.`,
    );
  const typed = await ask('Passphrase of the file: ');
  if (isNew && (await ask('The same again: ')) !== typed)
    throw new Fault('refused', 'The two passphrases are not the same: nothing was written.');
  return typed;
}

function firstLineOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    throw new Fault('refused', `The passphrase file ${file} can't be read: ${fileError(error)}.`, { cause: error });
  }
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _coding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  terminal.on('SIGINT', () => {
    process.stderr.write('\n');
    process.exit(130);
  });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
