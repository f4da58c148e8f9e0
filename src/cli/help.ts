// The help texts: of one command, and of all of them.

import type { Command, Option } from '../command/command.ts';
import { bold, columns, dim, wrapped } from '../command/terminal.ts';
import { self } from '../config/command-line.ts';

const helpOption: Option = { name: 'help', help: 'this text' };

// Where an example calls this program, as it was called now; elsewhere the word is a name or part of a path.
const ownCommand = /(?<=^|\$\(|&& |\| )cumulet(?= )/g;

export function helpOf(command: Command): string {
  const shown = [...command.options.filter(({ hidden }) => !hidden), helpOption];
  const rows = shown.map(({ name, takes, short, help, many }): [string, string] => [
    `${short === undefined ? '' : `-${short}, `}--${name}${takes === undefined ? '' : ` ${takes}`}`,
    many ? `${help}; may be given several times` : help,
  ]);
  const operands = command.operands === undefined ? '' : ` ${command.operands}`;
  const examples = command.examples.map(([line, says]) => `  ${dim(`# ${says}`)}\n  ${line.replace(ownCommand, self)}`);
  return [
    `${bold('Usage')}  ${self()} ${command.name}${operands} [options]`,
    wrapped(command.about, 78, ''),
    `${bold('Options')}\n${columns(rows)}`,
    `${bold(examples.length > 1 ? 'Examples' : 'Example')}\n${examples.join('\n')}`,
  ].join('\n\n');
}

export function helpOfAll(version: string, groups: readonly (readonly [string, string][])[]): string {
  const widest = Math.max(...groups.flat().map(([name]) => name.length));
  return [
    `${bold('Cumulet')} ${version}: a whole cloud region on your own machine`,
    `${bold('Usage')}  ${self()} COMMAND [options]`,
    ...groups.map((rows) => columns(rows, widest)),
    wrapped(
      `${self()} COMMAND --help shows details. All commands take --data DIR, the region's data folder (CUMULET_DATA, or ./data).`,
      78,
      '',
    ),
    `${bold('First steps')}\n  ${self()} up\n  eval "$(${self()} env --proxy)"    ${dim('# in another terminal: existing clients now use this region')}`,
  ].join('\n\n');
}
