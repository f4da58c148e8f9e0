// The passphrase of a portable backup or an export: from a file, from CUMULET_PASSPHRASE, or typed on a terminal, where
// it is hidden. It is not an option's value, because other users of the machine could read that in the process list.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Fault } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import type { Input, Option } from '../../command/command.ts';
import { environment } from '../../config/environment.ts';

export const passphraseOption: Option = {
  name: 'passphrase-file',
  takes: 'FILE',
  help: 'file whose first line is the passphrase, 8 characters or more (default: CUMULET_PASSPHRASE, or a prompt)',
};

// `isNew`: it is typed twice. `what` is what it protects.
export async function passphraseFor(input: Input, isNew: boolean, what = 'A portable backup'): Promise<string> {
  const file = input.get('passphrase-file');
  const given = file === undefined ? environment.passphrase() : firstLineOf(file);
  if (given !== undefined) return given;
  if (!process.stdin.isTTY)
    throw new Fault(
      'refused',
      `${what} needs a passphrase. Pass it with --passphrase-file FILE or in CUMULET_PASSPHRASE.`,
    );
  const typed = await ask('Passphrase of the file: ');
  if (isNew && (await ask('Repeat the passphrase: ')) !== typed)
    throw new Fault('refused', 'The two passphrases differ. Nothing was written.');
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
