// Traffic of a contract: a packet is judged by the datacenters that it may touch, as they are when it is sent, and told
// as far as the contract may see. What a change that has ended has made of them counts from then on.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Flow, NetworkEngine } from './engine.ts';
import { addressOf } from './ip.ts';
import { KnownLandscapes } from './known-landscapes.ts';
import { type ShownVerdict, shownVerdict } from './shown-verdict.ts';
import type { Packet } from './verdict.ts';
import { type Whereabouts, whereNicIs, whoHas } from './whereabouts.ts';

// The public addresses that the region gives out (addresses.ts, ipv6.ts).
export const regionRanges = ['198.18.0.0/15', '2001:db8::/32'];

const othersBetween = 50; // packets, before whoever else waits has a turn

export class Traffic {
  #store: Store;
  #engine: NetworkEngine;
  #known: KnownLandscapes;

  constructor(store: Store, engine: NetworkEngine) {
    this.#store = store;
    this.#engine = engine;
    this.#known = new KnownLandscapes(store, engine);
  }

  // The same packet so many times, one verdict for each.
  async send(contract: number, packet: Packet, count = 1): Promise<ShownVerdict[]> {
    await this.#touch([...(await this.#source(contract, packet)), ...(await this.#target(packet))]);
    const shown: ShownVerdict[] = [];
    const names = new Map<string, string | null>();
    for (let sent = 0; sent < count; sent++) {
      if (sent > 0 && sent % othersBetween === 0) await new Promise(setImmediate);
      const verdict = await this.#engine.send(packet);
      shown.push(await shownVerdict(verdict, packet, this.#lookup(contract, names)));
    }
    return shown;
  }

  async flows(datacenter: Row, since: number, limit: number): Promise<Values> {
    const { flows, next, skipped } = await this.#engine.flows(datacenter.id, since, limit);
    return { flows: flows.map(shownFlow), next, skipped };
  }

  // Where the NIC stands that it comes from; one of another contract is missing, as everywhere.
  async #source(contract: number, { from }: Packet): Promise<Whereabouts[]> {
    if (!('nicId' in from)) return [];
    const { nicId } = from;
    const found = this.#known.near(`nic ${nicId}`)[0] ?? (await whereNicIs(this.#store, contract, nicId));
    const datacenter = found?.contract === contract ? await this.#known.fresh(found) : undefined;
    if (!found || !datacenter?.servers.has(nicId)) throw new Fault('missing', 'Resource does not exist');
    return [found];
  }

  // Whoever has the address that it goes to, and whoever had it.
  async #target({ to }: Packet): Promise<Whereabouts[]> {
    const address = addressOf(to);
    return address ? [...(await whoHas(this.#store, address)), ...this.#known.near(`ip ${address.text}`)] : [];
  }

  // These datacenters, and all that are on one cross connect with one of them.
  async #touch(places: Whereabouts[]): Promise<void> {
    const touched = new Set<string>();
    for (const place of places) {
      if (touched.has(place.datacenterId)) continue;
      touched.add(place.datacenterId);
      const known = await this.#known.fresh(place);
      for (const pcc of known?.pccs ?? []) places.push(...this.#known.near(`pcc ${pcc}`));
      places.push(...(known?.peers ?? []));
    }
  }

  #lookup(contract: number, names: Map<string, string | null>) {
    return {
      isForeign: (id: string | null) => id !== null && this.#known.get(id)?.contract !== contract,
      serverOf: (datacenterId: string, nicId: string) => this.#known.get(datacenterId)?.servers.get(nicId),
      nameOf: async (path: string): Promise<string | null> => {
        const known = names.get(path);
        if (known !== undefined) return known;
        const row = await this.#store.at(contract, path);
        const name = row ? (JSON.parse(row.body) as { name: string | null }).name : null;
        names.set(path, name);
        return name;
      },
    };
  }
}

const shownFlow = ({ time, kind, ...rest }: Flow): Values => ({ time: iso(time), type: kind, ...rest });
