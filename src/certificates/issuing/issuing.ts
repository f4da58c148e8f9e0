// Issues auto-certificates, and renews them before they expire. The progress is stored in the auto-certificate's row,
// so a restarted process continues from there; the row's version decides between two processes that do the same.

import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { actorOf } from '../../core/access.ts';
import { FairQueue } from '../../core/fair-queue.ts';
import { counter } from '../../core/figures.ts';
import { creationOf, decide } from '../../core/operation/draft.ts';
import { performChange } from '../../core/operation/perform-change.ts';
import { idClaim, placeIn, placesOf, regionOf } from '../../core/regional.ts';
import type { Draft, Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { withHidden } from '../hidden-part.ts';
import {
  type AutoHidden,
  autoCertificate,
  autoHidden,
  autoValues,
  findProvider,
  namesOf,
} from '../resources/auto-certificate.ts';
import { type CertificateHidden, certificate } from '../resources/certificate.ts';
import { providerValues } from '../resources/provider.ts';
import type { CertificateTools } from '../tools.ts';
import { newPrivateKey } from '../x509/key-algorithms.ts';
import type { AcmeIssuer } from './acme-issuer.ts';
import type { EmbeddedAuthority } from './embedded-authority.ts';
import { type IssuedCertificate, renewalAfterMs } from './issued-certificate.ts';

export interface IssuingOptions extends Machinery {
  clock: Clock;
  log: Log;
  tools: CertificateTools;
  authority: EmbeddedAuthority;
  acme: AcmeIssuer;
  contracts(): Promise<number[]>;
}

export const issuingFigures = {
  issued: counter('Certificates that were issued or renewed.'),
  failed: counter('Attempts to issue a certificate that failed.'),
};

interface Due {
  row: Row;
  provider: Row | undefined;
}

const atOnce = 8;
const atOnceOfContract = 4;
const lookAgainMs = 5000; // for certificates that are due
const firstRetryMs = 15_000;
const maxRetryMs = 3_600_000;

export class Issuing {
  readonly #options: IssuingOptions;
  #issued = 0;
  #failed = 0;

  constructor(options: IssuingOptions) {
    this.#options = options;
  }

  figures() {
    return { issued: this.#issued, failed: this.#failed };
  }

  // Handles all due certificates, of the region's own CA or of ACME servers. Contracts take turns, and certificates
  // that become due in the meantime join in, so a slow server delays only its own contract.
  async run(isEmbedded: boolean): Promise<void> {
    const { log } = this.#options;
    const queue = new FairQueue<Due>();
    const known = new Set<string>(); // rows that were queued: they are queued again only if they have changed
    const working = new Map<string, Promise<void>>(); // by auto-certificate
    const busy = new Map<string, number>(); // tries under way, by contract
    const work = async ({ row, provider }: Due, contract: string): Promise<void> => {
      busy.set(contract, (busy.get(contract) ?? 0) + 1);
      await this.#attend(row, provider).catch((error: unknown) => log.error('certificate not issued', { error }));
      busy.set(contract, (busy.get(contract) ?? 1) - 1);
      working.delete(row.id);
      begin();
    };
    const begin = (): void => {
      while (working.size < atOnce) {
        const next = queue.take((contract) => (busy.get(contract) ?? 0) < atOnceOfContract);
        if (!next) return;
        working.set(next.row.id, work(next, String(next.row.contract)));
      }
    };
    do {
      for (const due of await this.#due(isEmbedded)) {
        const { id, version, contract } = due.row;
        if (working.has(id) || known.has(`${id} ${version}`)) continue;
        known.add(`${id} ${version}`);
        queue.push(String(contract), due);
      }
      begin();
      await settled(working, lookAgainMs);
    } while (working.size > 0);
  }

  async #due(isEmbedded: boolean): Promise<Due[]> {
    const { store, tools, contracts } = this.#options;
    const due: Due[] = [];
    for (const contract of await contracts())
      for await (const row of store.each({ contract, below: placesOf(autoCertificate) })) {
        if (row.kind !== autoCertificate.name || !this.#isDue(row)) continue;
        const provider = await findProvider(store, contract, autoValues(row).provider);
        if ((!provider || tools.isEmbedded(providerValues(provider).server)) === isEmbedded)
          due.push({ row, provider });
      }
    return due;
  }

  #isDue(row: Row): boolean {
    const { issued, failure } = autoHidden(row);
    const now = this.#options.clock.now();
    return row.state === 'AVAILABLE' && now >= (failure?.retryAt ?? issued?.renewAt ?? 0);
  }

  async #attend(row: Row, provider: Row | undefined): Promise<void> {
    try {
      await this.#issue(row, provider);
      this.#issued += 1;
    } catch (error) {
      // It was changed or deleted in the meantime: the next pass looks again.
      if (error instanceof Fault && error.kind === 'conflict') return;
      if (!(error instanceof Fault))
        this.#options.log.error('certificate not issued', { autoCertificate: row.id, error });
      this.#failed += 1;
      await this.#fail(row, error instanceof Fault ? error.message : 'An internal error occurred');
    }
  }

  async #issue(row: Row, provider: Row | undefined): Promise<void> {
    const { tools, authority, acme } = this.#options;
    if (!provider) throw new Fault('refused', 'Its provider was deleted.');
    const values = autoValues(row);
    const names = namesOf(values);
    await this.#demandZones(row, names);
    if (!tools.isEmbedded(providerValues(provider).server))
      return acme.issue(row, provider, names, (at, id, key, issued) => this.#keep(at, id, key, issued));
    const key = await newPrivateKey(values.keyAlgorithm);
    await this.#keep(row, uuid(), key, await authority.issue({ names, key }));
  }

  async #demandZones({ contract }: Row, names: readonly string[]): Promise<void> {
    const records = this.#options.tools.records();
    const conflict = await records?.conflict(contract, names);
    if (conflict !== undefined) throw new Fault('refused', conflict);
    for (const name of names)
      if (!(await records?.zone(contract, name.replace(/^\*\./, ''))))
        throw new Fault('refused', `${name} is in no enabled DNS zone of the contract. Create a zone for it first.`);
  }

  // One write set: it inserts the certificate, and records it as the latest one of the auto-certificate.
  async #keep(row: Row, id: string, privateKey: string, issued: IssuedCertificate): Promise<void> {
    const { model, clock, bounds } = this.#options;
    const { name } = autoValues(row);
    const { certificate: leaf, certificateChain, lifetimeMs } = issued;
    const renewAt = clock.now() + renewalAfterMs(lifetimeMs);
    const settled = { issued: { certificate: id, renewAt }, order: undefined, failure: undefined };
    const actor = actorOf(row);
    const draft = async (): Promise<Draft> => {
      await this.#demandVersion(row);
      const values = { name, certificate: leaf, certificateChain };
      const made = creationOf(certificate as Resource, actor, [], values, id);
      Object.assign(made, { place: placeIn(certificate, regionOf(row.place)) });
      made.sealed.privateKey = privateKey;
      made.hidden.autoCertificate = row.id satisfies CertificateHidden['autoCertificate'];
      made.reservations.claims.push(idClaim(certificate, id));
      made.extraWrites.push({ op: 'update', table: 'resource', row: withHidden(row, settled) });
      return made;
    };
    const info = { id: uuid(), method: 'POST', url: '/certificates', headers: {}, address: '', host: '' };
    await performChange(this.#options, {
      requestInfo: { ...info, service: 'certificates', operation: 'certificate_create', caller: actor },
      bounds: await bounds(row.contract),
      sentBody: '',
      wait: { isAbandoned: () => false },
      draft,
      decide: (made) => decide(model, made),
    });
  }

  async #demandVersion({ contract, place, id, version }: Row): Promise<void> {
    const now = await this.#options.store.get(contract, place, id);
    if (now?.version !== version || now.state !== 'AVAILABLE')
      throw new Fault('conflict', 'The auto-certificate was changed in the meantime');
  }

  // Retried later, after a longer time with each failure.
  async #fail({ contract, place, id }: Row, message: string): Promise<void> {
    const { store, clock } = this.#options;
    await store.change(async () => {
      const row = await store.get(contract, place, id);
      if (row?.state !== 'AVAILABLE') return { writes: [], value: undefined };
      const { count = 0 } = autoHidden(row).failure ?? {};
      const retryAt = clock.now() + Math.min(maxRetryMs, firstRetryMs * 2 ** count);
      const next = withHidden(row, { failure: { message, retryAt, count: count + 1 } satisfies AutoHidden['failure'] });
      return { writes: [{ op: 'update', table: 'resource', row: next }], value: undefined };
    });
  }
}

// Waits until all work has ended, up to a time limit.
async function settled(working: ReadonlyMap<string, Promise<void>>, longestMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, longestMs);
  const all = async (): Promise<void> => {
    while (working.size > 0) await Promise.all(working.values());
  };
  await Promise.race([all(), late]);
  clearTimeout(timer);
}
