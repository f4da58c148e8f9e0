// Writes bin/help.txt: the help of every command. ./cumulet prints it in a fresh clone, before it installs anything.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { helpOf } from '../src/cli/help.ts';
import { entries, overview } from '../src/cli/run.ts';
import { testCommand } from '../test/command.ts';

export const helpFile = join(import.meta.dirname, 'help.txt');

// A section for each command, below a line with `@` and the name of the command; the first is that of all commands.
export async function helpText(): Promise<string> {
  process.env.CUMULET_COMMAND = './cumulet';
  const commands = [...(await Promise.all(entries.map(({ load }) => load()))), testCommand];
  const sections = commands.map((command) => `@${command.name}\n${helpOf(command)}\n`);
  return [`@\n${await overview()}\n`, ...sections].join('');
}

if (import.meta.main) writeFileSync(helpFile, await helpText());
