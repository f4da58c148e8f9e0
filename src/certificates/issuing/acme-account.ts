// An account with an ACME server (RFC 8555). What the server refuses is a Fault 'refused'; where it does not answer, or
// not now, 'unavailable'.
import { X509Certificate } from 'node:crypto';
import type * as acme from 'acme-client';
import { Fault } from '../../base/fault.ts';
import { type AcmeLibrary, refused } from './acme-library.ts';
import { type IssuedCertificate, unwanted, type Wanted } from './issued-certificate.ts';

export interface AccountInput {
  directory: string;
  email: string;
  key: string; // PEM
  binding?: { keyId: string; keySecret: string } | undefined;
  signal: AbortSignal; // ends everything that is asked; its reason is a Fault
}

// A record that proves who has a name.
export interface Proof {
  name: string; // _acme-challenge.example.com
  text: string;
  authorization: acme.Authorization;
  challenge: Challenge;
}

type Challenge = acme.Authorization['challenges'][number];

const patience = { backoffAttempts: 14, backoffMin: 250, backoffMax: 5000 }; // about 45 s

export class AcmeAccount {
  readonly #library: AcmeLibrary;
  readonly #client: acme.Client;
  readonly #now: () => number;
  readonly #signal: AbortSignal;

  private constructor(library: AcmeLibrary, client: acme.Client, now: () => number, signal: AbortSignal) {
    this.#library = library;
    this.#client = client;
    this.#now = now;
    this.#signal = signal;
  }

  // Of the account with this key, which is made if the server does not know it. `now`: real time.
  static async open(load: () => Promise<AcmeLibrary>, input: AccountInput, now: () => number): Promise<AcmeAccount> {
    const library = await load();
    const { directory: directoryUrl, key: accountKey, email, binding, signal } = input;
    const bound = binding && { kid: binding.keyId, hmacKey: binding.keySecret };
    const client = new library.Client({
      directoryUrl,
      accountKey,
      ...(bound && { externalAccountBinding: bound }),
      ...patience,
    });
    await asking(signal, () => client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${email}`] }));
    return new AcmeAccount(library, client, now, signal);
  }

  order(names: readonly string[]): Promise<acme.Order> {
    const identifiers = names.map((value) => ({ type: 'dns', value }));
    return this.#ask(() => this.#client.createOrder({ identifiers }));
  }

  // Undefined: the server does not know it any more.
  async find(url: string): Promise<acme.Order | undefined> {
    try {
      return await this.#ask(() => this.#client.getOrder({ url } as acme.Order));
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  // What is still to be proven.
  async proofs(order: acme.Order, names: readonly string[]): Promise<Proof[]> {
    if (!Array.isArray(order.authorizations)) throw refused('its order has no list of proofs');
    // They are all asked for at once.
    if (order.authorizations.length > names.length)
      throw refused(`it wants ${order.authorizations.length} proofs for ${names.length} names`);
    const authorizations = await this.#ask(() => this.#client.getAuthorizations(order));
    for (const authorization of authorizations) demandProofFor(authorization, names);
    const open = authorizations.filter(({ status }) => status === 'pending');
    return Promise.all(
      open.map(async (authorization) => {
        const challenge = authorization.challenges.find(({ type }) => type === 'dns-01');
        if (!challenge) throw refused(`it offers no proof by DNS for ${authorization.identifier.value}`);
        const text = await this.#client.getChallengeKeyAuthorization(challenge);
        return { name: `_acme-challenge.${authorization.identifier.value}`, text, authorization, challenge };
      }),
    );
  }

  // When the records of all proofs can be looked up.
  async prove(order: acme.Order, proofs: readonly Proof[]): Promise<void> {
    for (const { challenge } of proofs)
      if (challenge.status === 'pending') await this.#ask(() => this.#client.completeChallenge(challenge));
    try {
      for (const { authorization } of proofs) await this.#ask(() => this.#client.waitForValidStatus(authorization));
    } catch (error) {
      throw isRefusal(error) ? refused(await this.#problemOf(order)) : error;
    }
  }

  async #problemOf(order: acme.Order): Promise<string> {
    const authorizations = await this.#ask(() => this.#client.getAuthorizations(order));
    for (const { status, identifier, challenges } of authorizations) {
      const { detail } = (challenges.find(({ error }) => error !== undefined)?.error ?? {}) as { detail?: string };
      if (status === 'invalid') return `the proof for ${identifier.value} was not accepted: ${detail ?? ''}`;
    }
    return 'the proofs were not looked at in time';
  }

  // Of an order whose proofs were accepted; it may have been asked for before.
  async certificate(order: acme.Order, { names, key }: Wanted): Promise<IssuedCertificate> {
    return this.#ask(async () => {
      if (order.status === 'ready') {
        const [, csr] = await this.#library.crypto.createCsr({ commonName: names[0] ?? '', altNames: [...names] }, key);
        order = await this.#client.finalizeOrder(order, csr);
      }
      if (order.status !== 'valid') order = (await this.#client.waitForValidStatus(order)) as acme.Order;
      const chain = await this.#client.getCertificate(order);
      const [certificate = '', ...issuers] = this.#library.crypto.splitPemChain(chain);
      const issued = {
        certificate: `${certificate.trim()}\n`,
        certificateChain: issuers.map((pem) => `${pem.trim()}\n`).join(''),
      };
      const problem = unwanted(issued, { names, key });
      if (problem !== undefined) throw refused(problem);
      const { validToDate } = new X509Certificate(certificate);
      return { ...issued, lifetimeMs: validToDate.getTime() - this.#now() };
    });
  }

  #ask<T>(work: () => Promise<T>): Promise<T> {
    return asking(this.#signal, work);
  }
}

// A server may answer anything, also with proofs for other names of the contract.
function demandProofFor(authorization: Partial<acme.Authorization>, names: readonly string[]): void {
  const { identifier, challenges } = authorization;
  const name: unknown = identifier?.value;
  if (typeof name !== 'string' || !names.some((wanted) => wanted.replace(/^\*\./, '') === name))
    throw refused('it wants a proof for a name that was not ordered');
  const isTold = Array.isArray(challenges) && challenges.every((one) => typeof one?.type === 'string');
  if (!isTold) throw refused(`it names no ways to prove ${name}`);
}

// The library throws what the server says as the message of an error. What it does when the signal ends the wait is of
// no account: as after a crash, the order is where the server says that it is.
async function asking<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', end);
  try {
    return await Promise.race([work(), ended]);
  } catch (error) {
    throw error instanceof Fault ? error : refused(error instanceof Error ? error.message : String(error));
  } finally {
    signal.removeEventListener('abort', end);
  }
}

const isRefusal = (error: unknown): boolean => error instanceof Fault && error.kind === 'refused';
