// Bytes that a public address exchanged with the internet, for bills: gathered while packets are sent, and written with
// one entry per address.
import { consumptionEntry } from '../../core/metering/meter.ts';
import type { Write } from '../../core/state/engine.ts';
import type { Packet, Verdict } from './verdict.ts';

interface Exchanged {
  contract: number;
  path: string;
  bytesIn: number;
  bytesOut: number;
}

export class InternetTraffic {
  readonly #contractOf: (datacenterId: string) => number | undefined;
  readonly #exchanged = new Map<string, Exchanged>(); // by path

  constructor(contractOf: (datacenterId: string) => number | undefined) {
    this.#contractOf = contractOf;
  }

  // Only what was accepted counts: for the address that it came to from outside, and for the one that it left from.
  add({ accepted, arrived, hops }: Verdict, { from, to, bytes = 60 }: Packet): void {
    if (!accepted) return;
    const inside = hops.filter(({ datacenterId }) => datacenterId !== null);
    const [first, last] = [inside[0], inside.at(-1)];
    if (!('nicId' in from) && first) this.#count(first.datacenterId, to, { bytesIn: bytes });
    if (arrived?.kind === 'internet' && last) this.#count(last.datacenterId, last.sourceIp, { bytesOut: bytes });
  }

  writes(now: number): Write[] {
    return [...this.#exchanged.values()].map(({ contract, path, ...amounts }) =>
      consumptionEntry(contract, { path, kind: 'traffic', amounts }, now),
    );
  }

  #count(datacenterId: string | null, ip: string | null, { bytesIn = 0, bytesOut = 0 }: Partial<Exchanged>): void {
    const contract = datacenterId === null ? undefined : this.#contractOf(datacenterId);
    if (contract === undefined || ip === null) return;
    const path = `datacenters/${datacenterId}/addresses/${ip}`;
    const known = this.#exchanged.get(path) ?? { contract, path, bytesIn: 0, bytesOut: 0 };
    known.bytesIn += bytesIn;
    known.bytesOut += bytesOut;
    this.#exchanged.set(path, known);
  }
}
