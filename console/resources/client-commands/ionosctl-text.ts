// The call as ionosctl commands: one for the main resource, one for each preceding call and each nested resource.

import {
  addressOf,
  type Call,
  type ClientText,
  leavesOf,
  type NestedItem,
  needsOf,
  nestedItemsIn,
  ownOf,
} from './call.ts';
import { type CommandNames, clientNames } from './client-names.ts';
import { type NestedNames, nestedNames } from './nested-names.ts';
import { assignment, hereDocument, word } from './shell.ts';
import { idMark, variableOf } from './variables.ts';

type Given = readonly [path: string, value: unknown][];

export function ionosctlText(names: CommandNames, call: Call): ClientText {
  if (names.takesFile) {
    const document = hereDocument(JSON.stringify(call.body, null, 2));
    const text = `ionosctl ${names.words} --json-properties /dev/stdin ${document}`;
    return { client: 'ionosctl', text, leavesOut: [], needs: [] };
  }
  const parent = nestedNames[call.operation.operation];
  const { nested, rest } = nestedItemsIn(call.body, (collection) => parent?.inside[collection] !== undefined);
  const given: Given = [...Object.entries(addressOf(call)), ...leavesOf(ownOf(call.body))];
  const inside = parent ? nested.map((one) => insideText(parent, one, call)) : [];
  const main = commandText(names, given);
  return {
    client: 'ionosctl',
    text: [
      ...(call.before ?? []).map((one) => beforeText(one.name, one.call)),
      parent && nested.length > 0 ? idAssignment(parent.param, parent.column, main) : main,
      ...inside.map(({ text }) => text),
    ].join('\n'),
    leavesOut: [...leftOut(names, given), ...inside.flatMap(({ leavesOut }) => leavesOut), ...rest],
    needs: needsOf(names.needs, call),
  };
}

const commandText = ({ words, flags }: Pick<CommandNames, 'words' | 'flags'>, given: Given): string =>
  [
    `ionosctl ${words}`,
    ...given.flatMap(([path, value]) => {
      const flag = flags[path];
      return flag === undefined ? [] : [flagText(flag, value)];
    }),
  ].join(' \\\n  ');

// The next command needs the id, and the resource must exist, so the command waits.
const idAssignment = (param: string, column: string, command: string): string =>
  assignment(variableOf(param), `${command} \\\n  --cols ${column} --no-headers --wait`);

function beforeText(name: string, call: Call): string {
  const names = clientNames[call.operation.operation]?.ionosctl;
  const given: Given = [...Object.entries(addressOf(call)), ...leavesOf(ownOf(call.body))];
  return names
    ? idAssignment(`${name}Id`, `${name.charAt(0).toUpperCase()}${name.slice(1)}Id`, commandText(names, given))
    : '';
}

// Creates a nested resource, or creates and attaches it.
function insideText(
  parent: NestedNames,
  { collection, own }: NestedItem,
  call: Call,
): { text: string; leavesOut: string[] } {
  const one = parent.inside[collection];
  const names = clientNames[one?.operation ?? '']?.ionosctl;
  if (!one || !names) return { text: '', leavesOut: [`entities.${collection}`] };
  const owner = { ...addressOf(call), [parent.param]: idMark(variableOf(parent.param)) };
  const given: Given = [...Object.entries(one.attach ? addressOf(call) : owner), ...leavesOf(own)];
  const command = commandText(names, given);
  const leavesOut = [...leftOut(names, given)].map((path) => `${collection}.${path}`);
  if (!one.attach) return { text: command, leavesOut };
  const { param, column, ...attach } = one.attach;
  const text = [
    idAssignment(param, column, command),
    commandText(attach, Object.entries({ ...owner, [param]: idMark(variableOf(param)) })),
  ].join('\n');
  return { text, leavesOut };
}

// Objects without any known flag are named as a whole.
function leftOut({ flags }: CommandNames, given: Given): Set<string> {
  const paths = given.map(([path]) => path).filter((path) => flags[path] === undefined);
  const known = Object.keys(flags);
  const wholeOf = (path: string): string => path.split('.')[0] ?? path;
  return new Set(
    paths.map((path) => (known.some((one) => one.startsWith(`${wholeOf(path)}.`)) ? path : wholeOf(path))),
  );
}

const flagText = (flag: string, value: unknown): string =>
  typeof value === 'boolean'
    ? `--${flag}=${value}`
    : `--${flag} ${word(Array.isArray(value) ? value.join(',') : String(value))}`;
