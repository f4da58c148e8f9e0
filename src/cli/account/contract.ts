// `contract add`, `contract list`
import { Fault } from '../../base/fault.ts';
import { type Added, askRegion } from '../admin/operations.ts';
import { type Command, dataOption, jsonOption } from '../command.ts';
import { password, passwordOption, wholeNumber } from '../option-values.ts';
import { print, printJson, table } from '../terminal.ts';

export const add: Command = {
  name: 'contract add',
  about:
    'Adds a contract with its owner. If an account with that e-mail exists, it joins the contract and keeps its ' +
    'password; clients choose between several contracts with X-Contract-Number.',
  options: [
    { name: 'owner', takes: 'EMAIL', help: 'who owns it' },
    passwordOption,
    { name: 'number', takes: 'NUMBER', help: 'the number of the contract (the next one that is free)' },
    { name: 'limit', takes: 'NAME=VALUE', help: 'another limit than usual, such as coresPerContract=100', many: true },
    jsonOption,
    dataOption,
  ],
  examples: [['cumulet contract add --owner ada@example.com --limit reservableIps=10', 'with ten addresses at most']],
  async run(input) {
    const number = wholeNumber(input, 'number');
    const added = await askRegion(input.data, 'contract/add', {
      email: input.need('owner', 'the e-mail address of who owns the contract'),
      ...password(input),
      ...(number !== undefined && { number }),
      limits: Object.fromEntries(input.all('limit').map(limitOf)),
    });
    if (input.has('json')) printJson(added);
    else printAdded(added, `Added contract ${added.contract}; its owner is ${added.email}.`);
    return 0;
  },
};

export const list: Command = {
  name: 'contract list',
  about: 'Lists all contracts of the region.',
  options: [jsonOption, dataOption],
  examples: [['cumulet contract list', 'all of them']],
  async run(input) {
    const { contracts } = await askRegion(input.data, 'contract/list', {});
    if (input.has('json')) printJson({ contracts });
    else {
      const rows = contracts.map((one) => [String(one.contract), one.owner, String(one.users), one.createdDate]);
      print(table(['CONTRACT', 'OWNER', 'USERS', 'CREATED'], rows));
    }
    return 0;
  },
};

export function printAdded(added: Added, first: string): void {
  print(first);
  if (added.password !== undefined) print(`Password, shown this once: ${added.password}`);
  if (added.joined) print('The person was known already and keeps their password.');
}

function limitOf(text: string): [string, number] {
  const [, name, value] = /^(\w+)=(\d{1,15})$/.exec(text) ?? [];
  if (name === undefined) throw new Fault('refused', `--limit expects NAME=VALUE with a whole number, not '${text}'.`);
  return [name, Number(value)];
}
