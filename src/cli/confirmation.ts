// Asks before data is lost. Where nobody can be asked, --yes has to say it.
import { createInterface } from 'node:readline/promises';
import { Fault } from '../base/fault.ts';
import type { Input, Option } from './command.ts';

export const yesOption: Option = { name: 'yes', help: 'do not ask' };

// `what` `happens`: "The state" "be replaced".
export async function confirm(input: Input, what: string, happens: string): Promise<void> {
  if (input.has('yes')) return;
  if (!process.stdin.isTTY) throw new Fault('refused', `${what} would ${happens}: say --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${what} will ${happens}. Yes? `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Fault('refused', 'Nothing was changed.');
}
