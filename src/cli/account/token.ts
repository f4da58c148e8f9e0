// `token generate`, `token list`, `token delete`
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { contractOption, seconds, userOption, userSelector } from '../../command/option-values.ts';
import { print, printJson, table } from '../../command/terminal.ts';
import { askRegion } from '../admin/operations.ts';

const lifetimes = ['1h', '4h', '1d', '7d', '30d', '60d', '90d', '180d', '365d'];
const lifetimesText = `${lifetimes.slice(0, -1).join(', ')} or ${lifetimes.at(-1)}`;

export const generate: Command = {
  name: 'token generate',
  about:
    'Creates a bearer token and prints only the token. It is shown only once: the region stores only its hash. ' +
    'This also works for users with 2FA, who cannot get a token with their password.',
  options: [
    { name: 'ttl', takes: 'LIFETIME', help: `${lifetimesText}, or a number of seconds (default: 365d)` },
    userOption,
    contractOption,
    { ...jsonOption, help: 'as JSON, with its id and end' },
    dataOption,
  ],
  examples: [
    ['export IONOS_TOKEN="$(cumulet token generate --ttl 1h)"', "the owner's, for an hour"],
    ['cumulet token generate --user ada@example.com', "another user's"],
  ],
  async run(input) {
    const ttl = input.get('ttl');
    const ttlS = ttl === undefined ? undefined : seconds(ttl);
    if (ttl !== undefined && !lifetimes.some((one) => seconds(one) === ttlS)) {
      throw new Fault('refused', `--ttl expects ${lifetimesText}, or a number of seconds, not '${ttl}'.`);
    }
    const made = await askRegion(input.data, 'token/generate', {
      ...userSelector(input),
      ...(ttlS !== undefined && { ttlS }),
    });
    if (input.has('json')) printJson(made);
    else print(made.token);
    return 0;
  },
};

export const list: Command = {
  name: 'token list',
  about: 'Lists the tokens of a user, without their values, which are shown only once.',
  options: [userOption, contractOption, jsonOption, dataOption],
  examples: [['cumulet token list --user ada@example.com', "a user's tokens"]],
  async run(input) {
    const { user, contract, tokens } = await askRegion(input.data, 'token/list', userSelector(input));
    if (input.has('json')) printJson({ user, contract, tokens });
    else if (tokens.length === 0) print(`${user} has no tokens in contract ${contract}.`);
    else {
      const rows = tokens.map((one) => [
        one.id,
        one.createdDate,
        one.expirationDate + (one.expired ? ' (expired)' : ''),
      ]);
      print(table(['ID', 'CREATED', 'EXPIRES'], rows));
    }
    return 0;
  },
};

export const remove: Command = {
  name: 'token delete',
  operands: '[ID]',
  mostOperands: 1,
  about: 'Deletes a token by its id, or tokens of a user. A deleted token stops working at once.',
  options: [
    { name: 'expired', help: 'all expired tokens of the user' },
    { name: 'all', help: 'all tokens of the user' },
    userOption,
    contractOption,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet token delete 0199a5b2-6d3c-7c1e-9f5b-2f4f2f9d8a11', 'one of them'],
    ['cumulet token delete --all --user ada@example.com', "all of a user's"],
  ],
  async run(input) {
    const [id] = input.operands;
    const ways = [id !== undefined, input.has('expired'), input.has('all')].filter(Boolean).length;
    if (ways !== 1) throw new Fault('refused', 'Pass the id of a token, --expired or --all.');
    const which = id !== undefined ? { id } : input.has('all') ? { all: true as const } : { expired: true as const };
    const { deleted } = await askRegion(input.data, 'token/delete', { ...userSelector(input), ...which });
    if (input.has('json')) printJson({ deleted });
    else print(deleted.length === 1 ? `Deleted the token ${deleted[0]}.` : `Deleted ${deleted.length} tokens.`);
    return 0;
  },
};
