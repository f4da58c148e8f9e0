// Certificates of contracts that the operator has assigned to a service of the region. Every node presents them to new
// connections. Renewed ones replace earlier ones; without a valid one the region presents its own.
import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { tlsPolicy } from '../base/tls-policy.ts';
import { type Row, rowOf } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import type { AssignedView, OperatorCertificates } from '../surface/operator.ts';
import type { AssignedCertificates, CertificatePem, HeldCertificates } from '../surface/ports.ts';
import { namedRow } from './held-certificates.ts';
import { root } from './resources/certificate.ts';
import { factsOf } from './x509/certificate-check.ts';

export interface AssignedOptions {
  store: Store;
  held: HeldCertificates;
  targets(): readonly string[];
  now: () => number; // real time: clients compare with theirs
  log: Log;
}

interface Assignment {
  to: string;
  id: string; // of a certificate or of an auto-certificate
  contract: number;
}

interface Presented {
  of: Assignment;
  pemId: string | undefined; // of the presented certificate; undefined: none is issued yet
  leaf: X509Certificate | undefined;
  context: SecureContext | undefined; // undefined: TLS does not accept it
}

const places = `${root}assigned/`; // a place for each target, with the ids of its certificates

export class Assigned implements AssignedCertificates, OperatorCertificates {
  readonly #options: AssignedOptions;
  #changes = 0;
  #loaded: { changes: number; all: Promise<readonly Presented[]> } | undefined;

  constructor(options: AssignedOptions) {
    this.#options = options;
    options.held.follow(() => {
      this.#changes += 1;
    });
  }

  async contextFor(host: string, allows: (target: string) => boolean): Promise<SecureContext | undefined> {
    const all = await this.#current();
    const fits = ({ of, leaf, context }: Presented): boolean =>
      context !== undefined && this.#isValid(leaf) && leaf?.checkHost(host) !== undefined && allows(of.to);
    return all.find(fits)?.context;
  }

  async assign({ id, to }: { id: string; to: string }): Promise<AssignedView> {
    const { store, targets } = this.#options;
    if (!targets().includes(to))
      throw new Fault('refused', `Unknown target '${to}'. Certificates can be assigned to: ${targets().join(', ')}.`);
    const named = await namedRow(store, id);
    if (!named) throw new Fault('missing', `No certificate or auto-certificate has the id '${id}'.`);
    const { contract } = named;
    const made = await this.#presentedFor({ to, id, contract });
    const view = this.#viewOf(made);
    if (view.state === 'EXPIRED' || view.state === 'UNUSABLE')
      throw new Fault('refused', `The certificate ${id} can't be presented, because it ${reasons[view.state]}.`);
    const row = rowOf({
      contract: 0,
      place: places + to,
      id,
      kind: 'certificateassignment',
      time: this.#options.now(),
    });
    row.body = JSON.stringify({ contract });
    await store.change(async () => {
      const isNew = !(await store.get(0, row.place, id));
      return { writes: isNew ? [{ op: 'insert', table: 'resource', row }] : [], value: undefined };
    });
    return view;
  }

  async unassign({ id }: { id: string }): Promise<{ unassigned: string[] }> {
    const rows = (await this.#rows()).filter((row) => row.id === id);
    if (rows.length === 0) throw new Fault('missing', `The certificate ${id} is not assigned.`);
    await this.#remove(rows);
    return { unassigned: rows.map((row) => assignmentOf(row).to) };
  }

  async list(): Promise<AssignedView[]> {
    return (await this.#current()).map((one) => this.#viewOf(one));
  }

  // Removes assignments of deleted certificates.
  async tidy(): Promise<void> {
    for (const row of await this.#rows()) if (!(await namedRow(this.#options.store, row.id))) await this.#remove([row]);
  }

  async #remove(rows: readonly Row[]): Promise<void> {
    await this.#options.store.must(rows.map((key) => ({ op: 'remove', table: 'resource', key, loose: true })));
  }

  // Newest first, so that a new certificate wins over an older one for the same names.
  async #rows(): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const row of this.#options.store.each({ contract: 0, below: places })) rows.push(row);
    return rows.sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1));
  }

  // Handshakes during a change wait for the new ones. If the state can't be read, the earlier ones stay.
  #current(): Promise<readonly Presented[]> {
    const before = this.#loaded;
    if (before?.changes === this.#changes) return before.all;
    const earlier = before?.all ?? Promise.resolve([]);
    const loaded = { changes: this.#changes, all: earlier };
    this.#loaded = loaded;
    loaded.all = this.#load(earlier).catch((error: unknown) => {
      this.#options.log.warn('assigned certificates can not be read', { error });
      loaded.changes = -1; // the next handshake tries again
      return earlier;
    });
    return loaded.all;
  }

  async #load(before: Promise<readonly Presented[]>): Promise<readonly Presented[]> {
    const earlier = await before;
    const all: Presented[] = [];
    for (const row of await this.#rows())
      if (await namedRow(this.#options.store, row.id)) all.push(await this.#presentedFor(assignmentOf(row), earlier));
    return all;
  }

  async #presentedFor(of: Assignment, earlier: readonly Presented[] = []): Promise<Presented> {
    const pem = await this.#options.held.pem(of.contract, of.id);
    const known = earlier.find((one) => one.of.id === of.id && one.of.to === of.to && one.pemId === pem?.id);
    if (known) return known;
    const leaf = pem && new X509Certificate(pem.chain);
    return { of, pemId: pem?.id, leaf, context: pem && this.#contextOf(pem) };
  }

  #contextOf({ id, chain, key }: CertificatePem): SecureContext | undefined {
    try {
      return createSecureContext({ cert: chain, key, ...tlsPolicy });
    } catch (error) {
      this.#options.log.warn('an assigned certificate can not be presented', { certificate: id, error });
      return undefined;
    }
  }

  #isValid(leaf: X509Certificate | undefined): boolean {
    const now = this.#options.now();
    return leaf !== undefined && leaf.validFromDate.getTime() <= now && now < leaf.validToDate.getTime();
  }

  #viewOf({ of, leaf, context }: Presented): AssignedView {
    if (!leaf) return { ...of, names: [], state: 'PENDING' };
    const { subjectAlternativeNames, notAfter } = factsOf(leaf);
    const state = !this.#isValid(leaf) ? 'EXPIRED' : context ? 'PRESENTED' : 'UNUSABLE';
    return { ...of, names: subjectAlternativeNames, validUntil: notAfter, state };
  }
}

const reasons = { EXPIRED: 'has expired or is not valid yet', UNUSABLE: 'is not accepted for TLS' };

const assignmentOf = ({ place, id, body }: Row): Assignment => ({
  to: place.slice(places.length),
  id,
  contract: (JSON.parse(body) as { contract: number }).contract,
});
