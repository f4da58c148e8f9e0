// What passed the ports of the core. A port is the other end of an interface, so what it receives the interface sends.
import type { PortCounts } from '../lan-interfaces.ts';
import type { CoreShell } from './linux-network.ts';

export async function readPorts(shell: CoreShell): Promise<PortCounts> {
  const lines = (await shell('cat /proc/net/dev')).split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, port = '', numbers = ''] = /^\s*(\S+):\s*(.*)$/.exec(line) ?? [];
      const [outBytes = 0, outPackets = 0, , , , , , , inBytes = 0, inPackets = 0] = numbers.split(/\s+/).map(Number);
      return port === '' ? [] : [[port, { inBytes, inPackets, outBytes, outPackets }]];
    }),
  );
}
