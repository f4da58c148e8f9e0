// Bytes that a public address exchanged with the internet, for bills: one entry per address.
import type { GatheredUsage } from '../../core/metering/gathered-usage.ts';
import type { Hop, Packet, Verdict } from './verdict.ts';

export type ContractOf = (datacenterId: string) => number | undefined;

// Only accepted packets count: for the address that received them from outside, or that they left from.
export function addInternetTraffic(
  usage: Pick<GatheredUsage, 'add'>,
  { accepted, arrived, hops }: Verdict,
  { from, to, bytes = 60 }: Packet,
  contractOf: ContractOf,
): void {
  if (!accepted) return;
  const count = (hop: Hop | undefined, ip: string | null, bytesIn: number, bytesOut: number): void => {
    const { datacenterId = null } = hop ?? {};
    const contract = datacenterId === null ? undefined : contractOf(datacenterId);
    if (contract === undefined || ip === null) return;
    const path = `datacenters/${datacenterId}/addresses/${ip}`;
    usage.add(contract, { path, kind: 'traffic', amounts: { bytesIn, bytesOut } });
  };
  const inside = hops.filter(({ datacenterId }) => datacenterId !== null);
  const last = inside.at(-1);
  if (!('nicId' in from)) count(inside[0], to, bytes, 0);
  if (arrived?.kind === 'internet') count(last, last?.sourceIp ?? null, 0, bytes);
}
