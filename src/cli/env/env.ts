// `env`: prints shell commands that point existing clients at a region.
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, type Input, jsonOption } from '../../command/command.ts';
import { dim, print, printJson } from '../../command/terminal.ts';
import { quoted, self } from '../../config/command-line.ts';
import { environment } from '../../config/environment.ts';
import { declaredEndpoints } from '../../products.ts';
import { authorityFile } from '../../region-data/data-folder.ts';
import { writeBundle } from '../account/ca.ts';
import { cachedStorageKey } from '../account/storage-key.ts';
import { cachedToken, privateFolder, writePrivate } from '../account/token-cache.ts';
import { askRegion } from '../admin/operations.ts';
import { configFile, type Facts, type Method, notes, variables } from './client-variables.ts';
import {
  type Change,
  changeOf,
  original,
  savedName,
  type Variables,
  type Wanted,
  withValues,
} from './saved-variables.ts';

export const env: Command = {
  name: 'env',
  about:
    'Prints shell commands that point existing clients at the region; eval runs them. With --proxy clients need no ' +
    'endpoint at all: they call their built-in hosts, and the region answers for those. While the proxy is set, ' +
    'other HTTPS sites are refused. Without an option they set IONOS_API_URL, which ionosctl, Terraform and the Go SDK ' +
    'read. The Python SDK does not, and would call the real cloud; so would the Node SDK, but for ' +
    'Configuration.fromEnv(), which expects /cloudapi/v6 at the end of it. The token is kept in your configuration ' +
    'directory and reused. The previous values are saved in CUMULET_SAVED_*, and --unset restores them.',
  options: [
    { name: 'proxy', help: 'set HTTPS_PROXY and a bundle of root certificates, under all names that clients read' },
    { name: 'config', help: 'write a config file and set IONOS_CONFIG_FILE' },
    { name: 'aws', help: 'also for S3 clients: AWS_* and IONOS_S3_*, with a key that is created once and reused' },
    { name: 'openai', help: "also for clients of OpenAI's API: OPENAI_BASE_URL and OPENAI_API_KEY" },
    { name: 'all', help: 'for all products: --aws and --openai' },
    { name: 'unset', help: 'restore the previous values of all variables' },
    { ...jsonOption, help: 'as JSON: {"set": {…}, "unset": […]}' },
    dataOption,
  ],
  examples: [
    ['eval "$(cumulet env --proxy)" && ionosctl compute datacenter list', 'every client, by proxy'],
    ['eval "$(cumulet env)"', 'ionosctl, Terraform and the Go SDK, by IONOS_API_URL'],
    ['eval "$(cumulet env --aws)" && aws s3 mb s3://my-bucket', 'S3 clients'],
    ['eval "$(cumulet env --openai)"', 'OpenAI SDKs, LangChain, LlamaIndex'],
    ['eval "$(cumulet env --unset)"', 'restore the previous values'],
  ],
  async run(input) {
    const chosen = ['proxy', 'config', 'unset'].filter((name) => input.has(name));
    if (chosen.length > 1) throw new Fault('refused', `Pass either --${chosen[0]} or --${chosen[1]}, not both.`);
    const now = environment.variables();
    const wanted = input.has('unset') ? { set: {}, unset: [] } : await lead(input, now);
    const change = changeOf(wanted, now);
    if (input.has('json')) printJson(withValues(change, now));
    else printShell(change, input);
    return 0;
  },
};

async function lead(input: Input, now: Variables): Promise<Wanted> {
  const { data } = input;
  const outer = original(now);
  // --aws and --openai of an earlier call stay in effect: clients need them with --proxy too.
  const isWanted = (option: string, variable: string): boolean =>
    input.has(option) || input.has('all') || now[variable] !== outer[variable];
  const method = methodOf(input);
  const { gateway, proxy, regions, services } = await askRegion(data, 'status', {});
  const token = await cachedToken(data);
  const url = services.objects;
  const wantsStorage = isWanted('aws', 'IONOS_S3_ACCESS_KEY') && url !== undefined;
  const bundle = method === 'proxy' ? writeBundle(data) : '';
  const facts: Facts = {
    gateway,
    proxy,
    token,
    bundle,
    authority: method === 'proxy' && outer.NODE_EXTRA_CA_CERTS ? bundle : authorityFile(data),
    configFile: join(privateFolder(data), 'config.yaml'),
    direct: directHosts(new URL(gateway).hostname, `${outer.no_proxy ?? ''},${outer.NO_PROXY ?? ''}`),
    behindProxy: Boolean(outer.http_proxy || outer.HTTP_PROXY || outer.all_proxy || outer.ALL_PROXY),
    ...(isWanted('openai', 'OPENAI_BASE_URL') && { openai: true }),
    ...(wantsStorage && { storage: { url, ...(await cachedStorageKey(data, gateway, token)) } }),
  };
  const endpoints = declaredEndpoints();
  if (method === 'config' && !writePrivate(facts.configFile, configFile(gateway, token, data, regions, endpoints))) {
    throw new Fault('unavailable', 'The region wrote no config file, so no variable was set.');
  }
  return variables(method, facts);
}

const methodOf = (input: Input): Method => (input.has('proxy') ? 'proxy' : input.has('config') ? 'config' : 'endpoint');

// Keeps the exceptions that the shell already has, except for the hosts that the region answers for.
function directHosts(host: string, before: string): string {
  const kept = before.split(/[\s,]+/).filter((one) => one !== '' && one !== '*' && !one.includes('ionos'));
  return [...new Set(['127.0.0.1', 'localhost', '::1', host.replace(/^\[|\]$/g, ''), ...kept])].join(',');
}

function printShell({ keep, restore, set, unset }: Change, input: Input): void {
  for (const name of keep) print(`export ${savedName(name)}="$${name}"`);
  for (const name of restore) print(`export ${name}="$${savedName(name)}"`);
  for (const [name, value] of Object.entries(set)) print(`export ${name}=${quoted(value)}`);
  if (unset.length > 0) print(`unset ${unset.join(' ')}`);
  // Not for eval: an interactive zsh takes comments for commands.
  if (!process.stdout.isTTY) return;
  if (!input.has('unset')) for (const note of notes[methodOf(input)]) print(dim(`# ${note}`));
  const options = [...input.values].map(([name, [value]]) => ` --${name}${value ? ` ${quoted(value)}` : ''}`).join('');
  print(dim(`# for your shell: eval "$(${self()} env${options})"`));
}
