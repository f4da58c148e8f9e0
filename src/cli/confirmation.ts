// Asks for confirmation before data is lost. Without a terminal, --yes is required.
import { createInterface } from 'node:readline/promises';
import { Fault } from '../base/fault.ts';
import type { Input, Option } from '../command/command.ts';

export const yesOption: Option = { name: 'yes', help: 'skip the confirmation' };

// `what` `happens`: "The state" "be replaced".
export async function confirm(input: Input, what: string, happens: string): Promise<void> {
  if (input.has('yes')) return;
  if (!process.stdin.isTTY) throw new Fault('refused', `${what} will ${happens}. Pass --yes to confirm.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${what} will ${happens}. Continue? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Fault('refused', 'Nothing was changed.');
}
