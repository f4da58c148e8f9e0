// Notifies another name server of a changed zone (RFC 1996), without waiting for it: a secondary that misses the
// notification refreshes later by itself.
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { randomHex } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { nameBytes } from '../records/domain-name.ts';
import { uint16 } from '../records/rdata.ts';
import { typeNumbers } from '../records/types.ts';

const notifyFlags = 0x2400; // opcode, authoritative

// `peer`: an address, followed by # and the port if it is not 53.
export function sendNotify(peer: string, zoneName: string, log: Log): void {
  const [ip = '', port = '53'] = peer.split('#');
  const question = Buffer.concat([nameBytes(zoneName), uint16(typeNumbers.SOA as number), uint16(1)]);
  const message = Buffer.concat([
    uint16(Number.parseInt(randomHex(2), 16)),
    uint16(notifyFlags),
    uint16(1),
    Buffer.alloc(6),
    question,
  ]);
  const socket = createSocket(isIPv6(ip) ? 'udp6' : 'udp4');
  socket.on('error', (error) => {
    log.warn('a name server could not be notified', { peer, error });
    socket.close();
  });
  socket.send(message, Number(port), ip, () => socket.close());
}
