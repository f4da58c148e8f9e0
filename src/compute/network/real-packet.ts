// The real packet that agrees with a packet of the lab.
import { randomHex } from '../../base/ids.ts';
import { addressOf, isAmong, isPublic, rangesOf } from './ip.ts';
import type { MachineNetwork, RealPacket } from './machine-network.ts';
import type { HttpRequest, Packet, Verdict } from './verdict.ts';
import type { RealOutcome } from './verdict-view.ts';

const unsent = (why: string): RealOutcome => ({ result: 'REJECTED', detail: `Nothing was sent: ${why}.` });

// `server`: of the sending NIC. `verdict`: of the simulated network, for the source address.
export async function sendReal(
  network: Pick<MachineNetwork, 'sendPacket'>,
  packet: Packet,
  { hops: [first] }: Verdict,
  server: string | undefined,
  ranges: readonly string[], // the region's own public addresses
): Promise<RealOutcome> {
  const target = addressOf(packet.to);
  const why = first && 'default' in first.decidedBy ? first.decidedBy.default : '';
  const source = first && addressOf(first.sourceIp ?? '');
  if (!target || !source || why === 'not an outside address') return unsent(why);
  const isInRegion = isAmong(rangesOf(ranges), target);
  if (server === undefined && !isInRegion) return unsent('the target is outside of the region');
  return network.sendPacket({
    server: server ?? null,
    source: source.text,
    sourcePort: packet.sourcePort ?? 1 + (Number.parseInt(randomHex(2), 16) % 65_535),
    target: target.text,
    targetPort: packet.targetPort ?? null,
    isToInternet: !isInRegion && isPublic(target),
    protocol: packet.protocol as RealPacket['protocol'], // the lab accepts no others
    request: packet.http ? requestText(packet.http) : null,
  });
}

function requestText({ method, host, path, query, headers, cookies }: HttpRequest): string {
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  const lines = [
    `${method} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(cookie.length > 0 ? [`Cookie: ${cookie.join('; ')}`] : []),
    'Connection: close',
  ];
  return [...lines.map((line) => line.replace(/[\r\n]/g, ' ')), '', ''].join('\r\n');
}
