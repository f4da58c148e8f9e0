// `contract add`, `contract list`
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { password, passwordOption, wholeNumber } from '../../command/option-values.ts';
import { print, printJson, table } from '../../command/terminal.ts';
import type { Added } from '../../surface/operator.ts';
import { askRegion } from '../admin/operations.ts';

export const add: Command = {
  name: 'contract add',
  about:
    'Adds a contract with its owner. If an account with that e-mail exists, it joins the contract and keeps its ' +
    'password; clients choose between several contracts with X-Contract-Number.',
  options: [
    { name: 'owner', takes: 'EMAIL', help: 'e-mail address of the owner' },
    passwordOption,
    { name: 'number', takes: 'NUMBER', help: 'contract number (default: the next free one)' },
    { name: 'limit', takes: 'NAME=VALUE', help: 'override a default limit, such as coresPerContract=100', many: true },
    jsonOption,
    dataOption,
  ],
  examples: [['cumulet contract add --owner ada@example.com --limit reservableIps=10', 'with at most ten addresses']],
  async run(input) {
    const number = wholeNumber(input, 'number');
    const added = await askRegion(input.data, 'contract/add', {
      email: input.need('owner', "the e-mail address of the contract's owner"),
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
  if (added.password !== undefined) print(`Password (shown only once): ${added.password}`);
  if (added.joined) print('The account already existed and keeps its password.');
}

function limitOf(text: string): [string, number] {
  const [, name, value] = /^(\w+)=(\d{1,15})$/.exec(text) ?? [];
  if (name === undefined) throw new Fault('refused', `--limit expects NAME=VALUE with a whole number, not '${text}'.`);
  return [name, Number(value)];
}
