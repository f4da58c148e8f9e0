// `user add`, `user reset-2fa`

import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import {
  contractOption,
  password,
  passwordOption,
  userOption,
  userSelector,
  wholeNumber,
} from '../../command/option-values.ts';
import { print, printJson } from '../../command/terminal.ts';
import { askRegion } from '../admin/operations.ts';
import { printAdded } from './contract.ts';

export const add: Command = {
  name: 'user add',
  about:
    'Adds a user to a contract. If an account with that e-mail exists, it joins the contract and keeps its ' +
    'password. Without --admin, groups give a user their rights.',
  options: [
    { name: 'email', takes: 'EMAIL', help: 'e-mail address of the user' },
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
      'with a given password that no process list shows',
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
    else printAdded(added, `${added.email} is a user of contract ${added.contract}; the id is ${added.id}.`);
    return 0;
  },
};

export const resetSecondFactor: Command = {
  name: 'user reset-2fa',
  about:
    'Switches 2FA off for a user who has lost the authenticator and the recovery codes. Their sessions of the console ' +
    'end. Where 2FA is mandatory, they set it up again at the next sign-in.',
  options: [userOption, contractOption, jsonOption, dataOption],
  examples: [['cumulet user reset-2fa --user ada@example.com', 'for one user']],
  async run(input) {
    const { user } = await askRegion(input.data, 'user/reset-2fa', userSelector(input));
    if (input.has('json')) printJson({ user });
    else print(`2FA is off for ${user}: the password is enough to sign in.`);
    return 0;
  },
};
