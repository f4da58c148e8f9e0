// Issues a certificate with an ACME server. Each stage of an order is stored in the auto-certificate's row before the
// next stage begins. After a restart, the order continues from there, so a crash never leads to a second certificate.
// Proofs are records in the contract's own DNS zones.
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import { namedId } from '../../core/regional.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { withHidden } from '../hidden-part.ts';
import { autoHidden, autoValues, type PendingOrder } from '../resources/auto-certificate.ts';
import { providerHidden, providerValues } from '../resources/provider.ts';
import type { CertificateTools } from '../tools.ts';
import { newAccountKey, newPrivateKey } from '../x509/key-algorithms.ts';
import { AcmeAccount, type Proof } from './acme-account.ts';
import type { AcmeOrder } from './acme-client.ts';
import { type AcmeHttp, unavailable } from './acme-http.ts';
import type { IssuedCertificate } from './issued-certificate.ts';

export interface AcmeIssuerOptions {
  store: Store;
  tools: CertificateTools;
  http: AcmeHttp;
  realNow: () => number;
  leaving: AbortSignal; // the region is about to stop; its reason is a Fault
}

const longestTryMs = 120_000; // the next try continues where this one ended

type Keep = (row: Row, id: string, key: string, issued: IssuedCertificate) => Promise<void>;

export class AcmeIssuer {
  readonly #options: AcmeIssuerOptions;

  constructor(options: AcmeIssuerOptions) {
    this.#options = options;
  }

  // The user's server may be slow, but it must not delay others, and every try has a time limit.
  async issue(row: Row, provider: Row, names: readonly string[], keep: Keep): Promise<void> {
    this.#options.leaving.throwIfAborted();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(unavailable('it takes too long')), longestTryMs);
    try {
      await this.#issue(row, provider, names, keep, AbortSignal.any([this.#options.leaving, late.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  async #issue(row: Row, provider: Row, names: readonly string[], keep: Keep, signal: AbortSignal): Promise<void> {
    const { tools, leaving } = this.#options;
    const account = await this.#account(provider, signal);
    let { at, order } = await this.#order(row, account, names);
    const pending = orderIn(at);
    if (order.status === 'pending') {
      const proofs = await account.proofs(order, names);
      at = await this.#publish(at, order.url, proofs);
      try {
        await account.prove(order, proofs, names);
      } finally {
        if (!leaving.aborted) at = await this.#withdraw(at); // otherwise the next start continues with them
      }
      order = (await account.find(order.url)) ?? order;
    }
    const key = tools.seal.open(pending.key);
    await keep(at, pending.certificate, key, await account.certificate(order, { names, key }));
  }

  // The key is stored before the account is created: for a known key, a server returns the existing account.
  async #account(provider: Row, signal: AbortSignal): Promise<AcmeAccount> {
    const { store, tools, http, realNow } = this.#options;
    const { contract, place, id } = provider;
    const { binding } = providerHidden(provider);
    const fresh = await newAccountKey();
    const sealed = await store.change(async () => {
      const row = await store.get(contract, place, id);
      if (!row) throw new Fault('conflict', 'The provider was deleted in the meantime');
      const { accountKey } = providerHidden(row);
      if (accountKey !== undefined) return { writes: [], value: accountKey };
      const value = tools.seal.close(fresh);
      const next = withHidden(row, { accountKey: value });
      return { writes: [{ op: 'update', table: 'resource', row: next }], value };
    });
    const { server: directory, email } = providerValues(provider);
    const bound = binding && { ...binding, keySecret: tools.seal.open(binding.keySecret) };
    const key = tools.seal.open(sealed);
    return AcmeAccount.open(http, { directory, email, key, binding: bound, signal }, realNow);
  }

  // The stored order, or a new one if the server has no order that can still succeed.
  async #order(row: Row, account: AcmeAccount, names: readonly string[]): Promise<{ at: Row; order: AcmeOrder }> {
    const { order: begun } = autoHidden(row);
    const known = begun && (await account.find(begun.url));
    if (known && known.status !== 'invalid') return { at: row, order: known };
    const at = begun ? await this.#withdraw(row) : row;
    const key = await newPrivateKey(autoValues(row).keyAlgorithm);
    const order = await account.order(names);
    const sealed = this.#options.tools.seal.close(key);
    const pending: PendingOrder = { certificate: uuid(), key: sealed, url: order.url, records: [] };
    return { at: await this.#save(withHidden(at, { order: pending })), order };
  }

  async #publish(row: Row, orderUrl: string, proofs: readonly Proof[]): Promise<Row> {
    const records = this.#options.tools.records();
    const placed: (Proof & { path: string })[] = [];
    for (const proof of proofs) {
      const zone = await records?.zone(row.contract, proof.name);
      if (zone === undefined) throw new Fault('refused', `No enabled DNS zone of the contract holds ${proof.name}.`);
      placed.push({ ...proof, path: `${zone}/records/${namedId(orderUrl, proof.name, proof.text)}` });
    }
    const order: PendingOrder = { ...orderIn(row), records: placed.map(({ path }) => path) };
    const at = await this.#save(withHidden(row, { order }));
    for (const { path, name, text } of placed) await records?.put(row, path, name, text);
    return at;
  }

  async #withdraw(row: Row): Promise<Row> {
    const order = orderIn(row);
    if (order.records.length === 0) return row;
    for (const path of order.records) await this.#options.tools.records()?.remove(row, path);
    return this.#save(withHidden(row, { order: { ...order, records: [] } }));
  }

  async #save(row: Row): Promise<Row> {
    const { ok } = await this.#options.store.apply([{ op: 'update', table: 'resource', row }]);
    if (!ok) throw new Fault('conflict', 'The auto-certificate was changed in the meantime');
    return { ...row, version: row.version + 1 };
  }
}

const orderIn = (row: Row): PendingOrder => autoHidden(row).order as PendingOrder;
