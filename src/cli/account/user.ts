// `user add`
import { type Command, dataOption, jsonOption } from '../command.ts';
import { askRegion } from '../region/operations.ts';
import { printJson } from '../region/screen.ts';
import { contractOption, password, passwordOption, wholeNumber } from '../values.ts';
import { tellAdded } from './contract.ts';

export const add: Command = {
  name: 'user add',
  about:
    'Adds a user to a contract. Someone who is known already, by their e-mail, is joined to it and keeps their ' +
    'password. Without --admin, groups give a user their rights.',
  options: [
    { name: 'email', takes: 'EMAIL', help: 'who' },
    passwordOption,
    { name: 'admin', help: 'may manage everything of the contract' },
    { name: 'first', takes: 'NAME', help: 'first name' },
    { name: 'last', takes: 'NAME', help: 'last name' },
    contractOption,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet user add --email ada@example.com --first Ada --last Lovelace', 'with a new password'],
    [
      'cumulet user add --email bob@example.com --password - <secret.txt',
      'with a given one that no process list shows',
    ],
  ],
  async run(input) {
    const [first, last, contract] = [input.get('first'), input.get('last'), wholeNumber(input, 'contract')];
    const added = await askRegion(input.data, 'user/add', {
      email: input.need('email', 'the e-mail address of the user'),
      ...password(input),
      ...(first !== undefined && { first }),
      ...(last !== undefined && { last }),
      ...(contract !== undefined && { contract }),
      admin: input.has('admin'),
    });
    if (input.has('json')) printJson(added);
    else tellAdded(added, `${added.email} is a user of contract ${added.contract}; the id is ${added.id}.`);
    return 0;
  },
};
