// The NICs of a changed LAN: their addresses change with the LAN, in the same operation.
import type { Values } from '../../base/json.ts';
import { busy } from '../../core/operation/busy.ts';
import { changeOf } from '../../core/operation/draft.ts';
import { claimKey, reservationsOf } from '../../core/operation/reservations.ts';
import { type DecisionContext, type Draft, pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { ComputeTools } from '../tools.ts';
import { leaseAddress, refused, releaseAddress, segmentOf, usedScope } from './address-claims.ts';
import { leasedAddresses } from './nic-addresses.ts';
import { moveNetwork } from './nic-ipv6.ts';

export class LanNics {
  #lan: Draft;
  #context: DecisionContext<ComputeTools>;
  #rows: Promise<Row[]> | undefined;
  #changed = new Map<string, Draft>();

  constructor(lan: Draft, context: DecisionContext<ComputeTools>) {
    this.#lan = lan;
    this.#context = context;
  }

  rows(): Promise<Row[]> {
    const { before, contract } = this.#lan;
    this.#rows ??= before
      ? this.#context.store.linkedRows(contract, pathOf(this.#lan), '<', 'lan')
      : Promise.resolve([]);
    return this.#rows;
  }

  // The change of the LAN requires this version of the NIC.
  async keep(row: Row): Promise<void> {
    await this.#requireAvailable(row);
    this.#lan.extraWrites.push({ op: 'guard', table: 'resource', key: row, version: row.version });
  }

  // The NIC as a part of the change. NICs are written in the order of the first call.
  async changed(row: Row): Promise<Draft> {
    const known = this.#changed.get(row.id);
    if (known) return known;
    await this.#requireAvailable(row);
    const { caller, parents, related } = this.#lan;
    const change = changeOf(this.#context.resource('nic'), caller, parents, row, 'readdress');
    this.#changed.set(row.id, change);
    related.push(change);
    return change;
  }

  async takeFrom(row: Row, address: string): Promise<void> {
    const nic = await this.changed(row);
    releaseAddress(nic, address);
    nic.values.ips = (nic.values.ips as string[]).filter((one) => one !== address);
    await this.#refill(nic);
  }

  // For a LAN that was public: leased addresses are replaced by ones of the LAN's own range, and reserved ones must be
  // removed by their user.
  async makePrivate(): Promise<void> {
    for (const row of await this.rows()) {
      const known = this.#changed.get(row.id) ?? changeOf(this.#context.resource('nic'), this.#lan.caller, [], row);
      const lent = leasedAddresses(known);
      const used = known.reservations.claims
        .map(claimKey)
        .find(({ place, id }) => place === usedScope && !lent.includes(id));
      if (used)
        throw refused(this.#lan, 'public', `NIC ${row.id} has the reserved address ${used.id}. Remove it first`);
      for (const address of lent) await this.takeFrom(row, address);
    }
  }

  // `network`: the LAN's /64, or null.
  async moveTo(network: string | null): Promise<void> {
    const rows = await this.rows();
    const taken = new Set(rows.map(({ body }) => String((JSON.parse(body) as Values).ipv6CidrBlock)));
    for (const row of rows) moveNetwork(await this.changed(row), pathOf(this.#lan), network, taken);
  }

  // A NIC has at least one address, unless it is in a public LAN and its machine does not run.
  async #refill(nic: Draft): Promise<void> {
    if ((nic.values.ips as string[]).length > 0) return;
    const segment = segmentOf(pathOf(this.#lan), this.#lan.values);
    const server = await this.#context.store.at(nic.contract, nic.place.slice(0, -'/nics'.length));
    const { vmState } = JSON.parse(server?.body ?? '{}') as { vmState?: string };
    if (segment.public && vmState === 'SHUTOFF') nic.hidden.waits = true;
    else nic.values.ips = [await leaseAddress(nic, this.#context, segment)];
  }

  async #requireAvailable(row: Row): Promise<void> {
    if (row.state !== 'AVAILABLE' || (await this.#context.store.creating(row.contract, pathOf(row)))) throw busy(row);
  }
}

// The LAN becomes public or private together with its members.
export async function decideOpenness(draft: Draft, store: Store, nics: LanNics): Promise<void> {
  const { contract, values } = draft;
  const [path, refuse] = [pathOf(draft), (message: string) => refused(draft, 'public', message)];
  if (!values.public) await nics.makePrivate();
  for await (const { place, id } of store.each({ contract, below: `${path} < ` }, 'link')) {
    const role = place.slice(place.lastIndexOf(' ') + 1);
    const [kind = ''] = id.split('/').slice(-2);
    const named = `The ${kind.slice(0, -1)} ${id.split('/').at(-1)}`;
    if (role === 'gateway' && values.public) throw refuse(`${named} is in the LAN and needs a private one`);
    if (values.public || !['listener', 'balanced'].includes(role)) continue;
    const row = await store.at(contract, id);
    const used = row && reservationsOf(row).claims.find((claim) => claimKey(claim).place === usedScope);
    if (used) throw refuse(`${named} has the public address ${claimKey(used).id}`);
  }
}
