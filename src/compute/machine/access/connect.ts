// `machines connect`: standard input and output are a connection to a server's SSH server or to a port of it. It is
// made for ProxyCommand of OpenSSH.
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../../base/fault.ts';
import { type Command, dataOption } from '../../../command/command.ts';
import { self } from '../../../config/command-line.ts';
import { RegionServers } from './region-servers.ts';

export const connect: Command = {
  name: 'machines connect',
  operands: 'SERVER [PORT]',
  mostOperands: 2,
  about:
    'Connects standard input and output with the SSH server of a running server, or with a TCP port of it. OpenSSH ' +
    'uses it as ProxyCommand; cumulet ssh --config prints such a configuration.',
  options: [dataOption],
  examples: [['ssh -o ProxyCommand="cumulet machines connect %h" root@web-1', 'what cumulet ssh does']],
  async run(input, host) {
    const [wanted, port] = input.operands;
    if (wanted === undefined)
      throw new Fault('refused', `machines connect needs a server. See: ${self()} machines connect --help`);
    const servers = await RegionServers.of(host, input.data);
    const connection = await servers.connect(await servers.find(wanted), port === undefined ? 'ssh' : `ports/${port}`);
    const sent = pipeline(process.stdin, connection, { end: port !== undefined }).catch(() => undefined);
    await pipeline(connection, process.stdout, { end: false });
    process.stdin.destroy();
    await sent;
    return 0;
  },
};
