// `ssh`: OpenSSH in a server. It reaches the server's SSH server by `machines connect`, so it needs no address, and the
// way there is the region's own: host keys prove nothing more, and are not stored.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { type Command, dataOption, type Input } from '../../../command/command.ts';
import { print } from '../../../command/terminal.ts';
import { quoted, self } from '../../../config/command-line.ts';
import { environment } from '../../../config/environment.ts';
import { identityOption, loginUser, type RegionServer, RegionServers } from './region-servers.ts';

export const ssh: Command = {
  name: 'ssh',
  operands: '[SERVER] [-- COMMAND…]',
  mostOperands: Number.POSITIVE_INFINITY,
  about:
    'Logs in to a running server, by its name or id, or runs a command in it. The connection goes through the machine ' +
    'engine, so it works for servers without a NIC and in private LANs, and no firewall applies to it.',
  options: [
    identityOption,
    { name: 'user', takes: 'NAME', help: `the user to log in as (${loginUser})` },
    { name: 'config', help: 'prints an OpenSSH configuration of all servers, or of SERVER, for ssh, scp and Ansible' },
    dataOption,
  ],
  examples: [
    ['cumulet ssh web-1', 'log in as root'],
    ['cumulet ssh web-1 --identity key -- uname -a', 'run a command'],
    ['cumulet ssh --config >> ~/.ssh/config', 'then ssh, scp and Ansible find the servers by name'],
  ],
  async run(input, host) {
    const servers = await RegionServers.of(host, input.data);
    const [wanted, ...command] = input.operands;
    if (input.has('config')) {
      const shown = wanted === undefined ? await servers.list() : [await servers.find(wanted)];
      print(shown.map((server) => hostOf(server, input)).join('\n'));
      return 0;
    }
    if (wanted === undefined) throw new Fault('refused', `ssh needs a server. See: ${self()} ssh --help`);
    const server = await servers.find(wanted);
    await servers.demandReachable(server, 'ssh');
    const settings = settingsOf(server, input).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    return runSsh([...settings, server.id, ...command]);
  },
};

type Setting = [name: string, value: string];

function settingsOf({ id }: RegionServer, input: Input): Setting[] {
  const identity = input.get('identity');
  return [
    ['User', input.get('user') ?? loginUser],
    ['ProxyCommand', `${program()} machines connect ${id} --data ${quoted(input.data)}`],
    ['StrictHostKeyChecking', 'no'],
    ['UserKnownHostsFile', '/dev/null'],
    ['LogLevel', 'ERROR'],
    ...(identity === undefined
      ? []
      : ([
          ['IdentityFile', quoted(resolve(identity))],
          ['IdentitiesOnly', 'yes'],
        ] satisfies Setting[])),
  ];
}

// This program for a shell in any folder.
function program(): string {
  const typed = environment.command();
  return quoted(typed.includes('/') ? resolve(typed) : typed);
}

// A host of ssh_config: a name with a space or a wildcard would be a pattern, so such a server is known by its id only.
function hostOf(server: RegionServer, input: Input): string {
  const names = /^[\w.-]+$/.test(server.name) ? `${server.name} ${server.id}` : server.id;
  const lines = settingsOf(server, input).map(([name, value]) => `  ${name} ${value}`);
  return `Host ${names}\n${lines.join('\n')}\n`;
}

async function runSsh(args: string[]): Promise<number> {
  const child = spawn('ssh', args, { stdio: 'inherit' });
  const failed = once(child, 'error').then(([error]) => {
    throw new Fault('refused', `The program ssh does not start (${(error as Error).message}). Install OpenSSH.`);
  });
  const [code] = (await Promise.race([once(child, 'exit'), failed])) as [number | null];
  return code ?? 1;
}
