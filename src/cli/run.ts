// Finds the command, reads its arguments and runs it. An error of the user is one line and exit code 2; anything else
// is a bug, one line and exit code 1. A command's modules are loaded only when it runs.
import { Fault } from '../base/fault.ts';
import { machineRefusal } from '../base/file-error.ts';
import { type CommandEntry, type Host, readArguments, Unexpected } from '../command/command.ts';
import { suggestion } from '../command/suggestion.ts';
import { self } from '../config/command-line.ts';
import { environment } from '../config/environment.ts';
import { declaredResources, products } from '../products.ts';

const groups: readonly (readonly CommandEntry[])[] = [
  [
    { name: 'up', says: 'start the region', load: async () => (await import('./region/up.ts')).up },
    { name: 'down', says: 'stop the region', load: async () => (await import('./region/down.ts')).down },
    { name: 'wait', says: 'wait until the region is ready', load: async () => (await import('./region/wait.ts')).wait },
    { name: 'status', says: 'show what runs where', load: async () => (await import('./region/status.ts')).status },
  ],
  [
    { name: 'logs', says: 'show the requests of clients', load: async () => (await import('./region/logs.ts')).logs },
    {
      name: 'reset',
      says: 'empty the region and keep its accounts',
      load: async () => (await import('./region/reset.ts')).reset,
    },
  ],
  [
    {
      name: 'env',
      says: 'print shell commands that point clients here',
      load: async () => (await import('./env/env.ts')).env,
    },
    {
      name: 'ca',
      says: 'show the certificate authority of the region',
      load: async () => (await import('./account/ca.ts')).ca,
    },
  ],
  [
    {
      name: 'token generate',
      says: 'create a bearer token',
      load: async () => (await import('./account/token.ts')).generate,
    },
    {
      name: 'token list',
      says: 'list the tokens of a user',
      load: async () => (await import('./account/token.ts')).list,
    },
    { name: 'token delete', says: 'revoke tokens', load: async () => (await import('./account/token.ts')).remove },
    { name: 'contract add', says: 'add a contract', load: async () => (await import('./account/contract.ts')).add },
    {
      name: 'contract list',
      says: 'list all contracts',
      load: async () => (await import('./account/contract.ts')).list,
    },
    { name: 'user add', says: 'add a user to a contract', load: async () => (await import('./account/user.ts')).add },
    {
      name: 'user reset-2fa',
      says: 'switch 2FA off for a user who lost it',
      load: async () => (await import('./account/user.ts')).resetSecondFactor,
    },
    {
      name: 'certificate assign',
      says: 'present a certificate for S3 or the log listener',
      load: async () => (await import('./account/certificate.ts')).assign,
    },
    {
      name: 'certificate unassign',
      says: "present the region's own certificate again",
      load: async () => (await import('./account/certificate.ts')).unassign,
    },
    {
      name: 'certificate list',
      says: 'list the assigned certificates',
      load: async () => (await import('./account/certificate.ts')).list,
    },
  ],
  ...products.flatMap(({ commands }) => (commands ? [commands] : [])),
  [
    {
      name: 'state copy',
      says: 'copy the whole state to another location',
      load: async () => (await import('./state/state.ts')).copy,
    },
    {
      name: 'state backup',
      says: 'write the whole state to a file',
      load: async () => (await import('./state/state.ts')).backup,
    },
    {
      name: 'state restore',
      says: 'restore the state from that file',
      load: async () => (await import('./state/state.ts')).restore,
    },
    {
      name: 'state check',
      says: 'check the state for damage',
      load: async () => (await import('./state/check.ts')).check,
    },
    {
      name: 'key rotate',
      says: 'seal all secrets with a new region key',
      load: async () => (await import('./state/key.ts')).rotate,
    },
  ],
  [
    {
      name: 'demo',
      says: 'create an example shop with a load',
      load: async () => (await import('./region/demo.ts')).demo,
    },
    {
      name: 'seed',
      says: 'fill the region from a file, or dump it to one',
      load: async () => (await import('./region/seed.ts')).seed,
    },
    {
      name: 'savepoint create',
      says: 'save the region under a name',
      load: async () => (await import('./savepoint/savepoint.ts')).create,
    },
    {
      name: 'savepoint restore',
      says: 'go back to a save point',
      load: async () => (await import('./savepoint/savepoint.ts')).restore,
    },
    {
      name: 'savepoint export',
      says: 'write a save point to one portable file',
      load: async () => (await import('./savepoint/portable.ts')).exportCommand,
    },
    {
      name: 'savepoint import',
      says: 'create a save point from such a file',
      load: async () => (await import('./savepoint/portable.ts')).importCommand,
    },
    {
      name: 'savepoint list',
      says: 'list the save points',
      load: async () => (await import('./savepoint/savepoint.ts')).list,
    },
    {
      name: 'savepoint remove',
      says: 'remove a save point',
      load: async () => (await import('./savepoint/savepoint.ts')).remove,
    },
  ],
  [
    {
      name: 'watch group',
      says: 'watch an auto scaling group follow its load',
      load: async () => (await import('./watch/group.ts')).watchGroup,
    },
    {
      name: 'lab clock',
      says: "show or move the platform's clock",
      load: async () => (await import('./lab/clock-and-faults.ts')).clock,
    },
    {
      name: 'lab traffic',
      says: 'send a packet through the network',
      load: async () => (await import('./lab/traffic.ts')).traffic,
    },
    {
      name: 'lab load',
      says: "show or set a machine's load",
      load: async () => (await import('./lab/load.ts')).load,
    },
    {
      name: 'lab brokers',
      says: 'show, stop or start brokers of a cluster',
      load: async () => (await import('./lab/brokers.ts')).brokers,
    },
    {
      name: 'lab faults',
      says: 'show, plant or clear faults',
      load: async () => (await import('./lab/clock-and-faults.ts')).faults,
    },
  ],
  [
    {
      name: 'completion',
      says: 'print a script that completes commands in your shell',
      load: async () =>
        (await import('./completion.ts')).completionOf(() => Promise.all(entries.map((one) => one.load()))),
    },
    {
      name: 'version',
      says: 'show the version of this program',
      load: async () => (await import('./version.ts')).version,
    },
  ],
];
export const entries = groups.flat();
const asksForHelp = (arg: string): boolean => arg === '--help' || arg === '-h';

export async function run(args: readonly string[]): Promise<number> {
  ignoreClosedPipe();
  try {
    return await dispatch(args);
  } catch (error) {
    return report(error);
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  const [first = 'help', ...rest] = args;
  if (first === 'help' && rest.length > 0) return dispatch([...rest, '--help']);
  if (first === 'help' || asksForHelp(first)) return showAll(groups);
  if (first === '--version' || first === '-v') return dispatch(['version']);
  if (first.startsWith('-')) {
    throw new Fault('refused', `Put the command first, then its options, for example: ${self()} up ${first}`);
  }
  const entry = named(`${first} ${rest[0]}`) ?? named(first);
  if (!entry) return incompleteCommand(first, rest);
  const own = args.slice(entry.name.split(' ').length);
  const command = await entry.load();
  if (own.some(asksForHelp)) {
    const { helpOf } = await import('./help.ts');
    process.stdout.write(`${helpOf(command)}\n`);
    return 0;
  }
  return (await command.run(readArguments(command, own), host)) ?? 0;
}

const named = (words: string): CommandEntry | undefined => entries.find(({ name }) => name === words);

const host: Host = {
  resources: declaredResources,
  async access(data) {
    const [{ askRegion }, { cachedToken }] = await Promise.all([
      import('./admin/operations.ts'),
      import('./account/token-cache.ts'),
    ]);
    const { gateway } = await askRegion(data, 'status', {});
    return { gateway, token: await cachedToken(data) };
  },
};

// A noun without its verb, or an unknown word.
async function incompleteCommand(first: string, rest: readonly string[]): Promise<number> {
  const verbs = entries.filter(({ name }) => name.startsWith(`${first} `));
  const [verb] = rest;
  if (verbs.length === 0) {
    const known = [...new Set(entries.map(({ name }) => name.split(' ')[0] ?? ''))];
    throw new Fault('refused', `Unknown command ${first}.${suggestion(first, known)} See: ${self()} --help`);
  }
  if (verb !== undefined && asksForHelp(verb)) return showAll([verbs]);
  const words = verbs.map(({ name }) => name.slice(first.length + 1));
  const problem = verb === undefined || verb.startsWith('-') ? 'needs a subcommand' : `has no subcommand '${verb}'`;
  const hint = verb === undefined ? '' : suggestion(verb, words);
  throw new Fault('refused', `${first} ${problem}: ${words.join(', ')}.${hint} See: ${self()} ${first} --help`);
}

async function showAll(shown: readonly (readonly CommandEntry[])[]): Promise<number> {
  process.stdout.write(`${await overview(shown)}\n`);
  return 0;
}

// The help of all commands, or of those that begin with the same word.
export async function overview(shown: readonly (readonly CommandEntry[])[] = groups): Promise<string> {
  const { helpOfAll } = await import('./help.ts');
  const { programVersion } = await import('../config/program-version.ts');
  const rows = shown.map((group) => group.map(({ name, says }): [string, string] => [name, says]));
  if (environment.isCheckout() && shown === groups) rows.push([['test', 'run every check of this source checkout']]);
  return helpOfAll(programVersion(), rows);
}

function report(error: unknown): number {
  if (error instanceof Fault) {
    for (const { message } of error.problems)
      process.stderr.write(`cumulet: ${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
    if (environment.wantsDetails()) process.stderr.write(`${error.stack}\n`);
    return 2;
  }
  const { message = String(error), stack = '' } = error as Error;
  if (error instanceof Unexpected) {
    const where = error.log === undefined ? '' : `; see ${error.log} for details`;
    process.stderr.write(`cumulet: ${message}${where}\n`);
    return 1;
  }
  const refusal = machineRefusal(error);
  if (refusal !== undefined) {
    process.stderr.write(`cumulet: ${refusal}\n`);
    if (environment.wantsDetails()) process.stderr.write(`${stack}\n`);
    return 2;
  }
  const more = environment.wantsDetails() ? `\n${stack}` : ' (CUMULET_DEBUG=1 shows where)';
  process.stderr.write(`cumulet: internal error: ${message.split('\n')[0]}${more}\n`);
  return 1;
}

// `cumulet token list | head -1` is not an error.
function ignoreClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
