// Chooses the brokers of a new cluster: addresses for brokers that the engine starts, or a free set of the operator's
// list of outside brokers. Brokers accept every certificate of their authority until it expires, also those of deleted
// clusters. So a set serves one contract for ever, until the operator gives it another authority.
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { type Row, rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { BrokerSet, OutsideBrokers, StreamingEngine } from '../engine/engine.ts';
import { type AddressSettings, type AssignedBrokers, claimsOf, drawBrokers } from './broker-addresses.ts';
import { hiddenOf } from './cluster.ts';
import { everyCluster } from './cluster-rows.ts';

export interface AssignmentOptions {
  store: Store;
  engine: StreamingEngine;
  addresses: AddressSettings;
  log: Log;
}

const servedPlace = 'brokers-served'; // the contracts of deleted clusters, by the id of their set

export class BrokerAssignment {
  readonly #options: AssignmentOptions;

  constructor(options: AssignmentOptions) {
    this.#options = options;
  }

  // Changes nothing: the claims take the brokers when the cluster is stored.
  choose(contract: number): Promise<AssignedBrokers> {
    const { outside } = this.#options.engine;
    return outside ? this.#fromList(outside, contract) : this.#drawn();
  }

  // Called after the data of a cluster was deleted, while it still has its claims.
  async noteServed({ contract, hidden }: Row): Promise<void> {
    const { holds } = JSON.parse(hidden) as { holds?: { claims: string[] } };
    const claim = holds?.claims.find((one) => one.startsWith(setClaim('')));
    if (!claim) return;
    const id = claim.slice(setClaim('').length);
    const row = rowOf({ contract: 0, place: servedPlace, id, body: JSON.stringify({ contract }) });
    await this.#options.store.apply([{ op: 'insert', table: 'claim', row }]); // it may exist
  }

  async #drawn(): Promise<AssignedBrokers> {
    const { store, addresses } = this.#options;
    const brokers = await drawBrokers(addresses, async (claim) => (await store.claimed(claim)) !== undefined);
    if (brokers.length < 3) throw new Fault('refused', 'No three consecutive ports are free for the brokers.');
    return { brokers, claims: claimsOf(brokers) };
  }

  async #fromList(outside: OutsideBrokers, contract: number): Promise<AssignedBrokers> {
    const sets = outside.sets();
    const taken = await this.#takenAddresses();
    const left: string[] = []; // why sets can't be assigned
    let isSilent = false;
    let used = 0;
    for (const set of sets) {
      const chosen = assignedOf(set);
      if (chosen.brokers.some(({ advertised: { host, port } }) => taken.has(`${host}:${port}`))) used++;
      else if (await this.#isClaimed(chosen.claims)) used++;
      else {
        const reason = await this.#reasonAgainst(outside, set, contract);
        if (reason === undefined) return chosen;
        isSilent ||= reason === silent;
        left.push(`${set.where} ${reason}`);
      }
    }
    if (left.length > 0) this.#options.log.warn('no listed brokers can be assigned to a new cluster', { sets: left });
    throw isSilent ? noneAnswers() : noneFree(sets.length, used);
  }

  async #reasonAgainst(outside: OutsideBrokers, set: BrokerSet, contract: number): Promise<string | undefined> {
    const row = await this.#options.store.get(0, servedPlace, set.id, 'claim');
    const served = row && (JSON.parse(row.body) as { contract: number }).contract;
    if (served !== undefined && served !== contract)
      return `served contract ${served}, whose certificates remain valid: give these brokers another CA`;
    try {
      const { topics, groups } = await outside.leftovers(set);
      if (topics > 0) return `still has ${topics} topics: delete them first`;
      // The members of a deleted group may still be connected.
      if (groups > 0 && served === undefined) return `still has ${groups} groups: delete them first`;
      return undefined;
    } catch (error) {
      if (error instanceof Fault && error.kind === 'unavailable') return silent;
      throw error;
    }
  }

  async #isClaimed(claims: readonly string[]): Promise<boolean> {
    for (const claim of claims) if (await this.#options.store.claimed(claim)) return true;
    return false;
  }

  // Clusters of earlier versions have no claims on outside brokers.
  async #takenAddresses(): Promise<Set<string>> {
    const taken = new Set<string>();
    for await (const row of everyCluster(this.#options.store))
      for (const { advertised } of hiddenOf(row).brokers) taken.add(`${advertised.host}:${advertised.port}`);
    return taken;
  }
}

const silent = 'does not answer';
const setClaim = (id: string): string => `broker-set ${id}`;

function assignedOf({ id, addresses, authority }: BrokerSet): AssignedBrokers {
  const brokers = addresses.map((address, index) => ({ id: index + 1, ...address, advertised: address }));
  return { brokers, authority, claims: [setClaim(id), ...claimsOf(brokers)] };
}

const noneAnswers = (): Fault =>
  new Fault('unavailable', 'The free brokers of this region do not answer. Try again later.', { retryAfterS: 5 });

const noneFree = (count: number, used: number): Fault =>
  new Fault(
    'refused',
    `This region has brokers for ${clustersOf(count)}, and none is free: ${used} in use` +
      `${used < count ? `, ${count - used} not assignable (the region's log has the reason)` : ''}. ` +
      'Delete a cluster, or ask the operator of the region to add a line to its list of brokers.',
  );

const clustersOf = (count: number): string => `${count} cluster${count === 1 ? '' : 's'}`;
