// An account with an ACME server (RFC 8555). A refusal of the server is a Fault 'refused'; if the server does not
// answer, or is busy, the Fault is 'unavailable'.
import { X509Certificate } from 'node:crypto';
import { createRequest } from '../../base/certificate.ts';
import { Fault } from '../../base/fault.ts';
import { keysOf } from '../x509/key-algorithms.ts';
import { type AcmeAuthorization, type AcmeChallenge, AcmeClient, type AcmeOrder } from './acme-client.ts';
import { type AcmeHttp, fieldsOf, refused, shownText } from './acme-http.ts';
import { type IssuedCertificate, unwanted, type Wanted } from './issued-certificate.ts';

export interface AccountInput {
  directory: string;
  email: string;
  key: string; // PEM
  binding?: { keyId: string; keySecret: string } | undefined;
  signal: AbortSignal; // aborts all requests; its reason is a Fault
}

// A record that proves the control of a name.
export interface Proof {
  name: string; // _acme-challenge.example.com
  text: string;
  authorization: AcmeAuthorization;
  challenge: AcmeChallenge;
}

export class AcmeAccount {
  readonly #client: AcmeClient;
  readonly #now: () => number;
  readonly #signal: AbortSignal;

  private constructor(client: AcmeClient, now: () => number, signal: AbortSignal) {
    this.#client = client;
    this.#now = now;
    this.#signal = signal;
  }

  // The account of this key; the server creates it if it does not exist. `now`: real time.
  static async open(http: AcmeHttp, input: AccountInput, now: () => number): Promise<AcmeAccount> {
    const { directory, key, email, binding, signal } = input;
    const client = new AcmeClient({ http, directory, key, signal });
    await asking(signal, () => client.openAccount(email, binding));
    return new AcmeAccount(client, now, signal);
  }

  order(names: readonly string[]): Promise<AcmeOrder> {
    return this.#ask(() => this.#client.createOrder(names));
  }

  // Undefined: the server does not know the order any more.
  async find(url: string): Promise<AcmeOrder | undefined> {
    try {
      return await this.#ask(() => this.#client.order(url));
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  // The proofs that are still missing.
  async proofs(order: AcmeOrder, names: readonly string[]): Promise<Proof[]> {
    if (!Array.isArray(order.authorizations)) throw refused('its order has no list of proofs');
    // All proofs are requested at once.
    if (order.authorizations.length > names.length)
      throw refused(`it wants ${order.authorizations.length} proofs for ${names.length} names`);
    const authorizations = await this.#authorizations(order.authorizations, names);
    const open = authorizations.filter(({ status }) => status === 'pending');
    return open.map((authorization) => {
      const challenge = authorization.challenges.find(({ type }) => type === 'dns-01');
      if (!challenge) throw refused(`it offers no proof by DNS for ${authorization.identifier.value}`);
      const text = this.#client.proofText(challenge);
      return { name: `_acme-challenge.${authorization.identifier.value}`, text, authorization, challenge };
    });
  }

  #authorizations(urls: readonly unknown[], names: readonly string[]): Promise<AcmeAuthorization[]> {
    return this.#ask(async () => {
      const found: AcmeAuthorization[] = [];
      for (const url of urls) found.push(proofFor(await this.#client.authorization(url), String(url), names));
      return found;
    });
  }

  // Called when the records of all proofs can be looked up.
  async prove(order: AcmeOrder, proofs: readonly Proof[], names: readonly string[]): Promise<void> {
    for (const { challenge } of proofs)
      if (challenge.status === 'pending') await this.#ask(() => this.#client.complete(challenge));
    try {
      for (const { authorization } of proofs) await this.#ask(() => this.#client.untilValid(authorization.url));
    } catch (error) {
      throw isRefusal(error) ? refused(await this.#problemOf(order, names)) : error;
    }
  }

  async #problemOf({ authorizations: urls }: AcmeOrder, names: readonly string[]): Promise<string> {
    const authorizations = await this.#authorizations(Array.isArray(urls) ? urls : [], names);
    for (const { status, identifier, challenges } of authorizations) {
      const { detail } = fieldsOf(challenges.find(({ error }) => error !== undefined)?.error);
      if (status === 'invalid') return `the proof for ${identifier.value} was not accepted: ${shownText(detail) ?? ''}`;
    }
    return 'the proofs were not looked at in time';
  }

  // Requests the certificate of an order whose proofs were accepted; it may have been requested before.
  async certificate(order: AcmeOrder, { names, key }: Wanted): Promise<IssuedCertificate> {
    return this.#ask(async () => {
      if (order.status === 'ready') {
        const request = await createRequest(names, keysOf(key));
        order = await this.#client.finalize(order, request);
      }
      if (order.status !== 'valid') {
        await this.#client.untilValid(order.url);
        order = await this.#client.order(order.url);
      }
      const [certificate = '', ...issuers] = await this.#client.certificates(order);
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

// A server may answer anything, including proofs for other names of the contract.
function proofFor(data: unknown, url: string, names: readonly string[]): AcmeAuthorization {
  const { identifier, challenges, status } = fieldsOf(data);
  const { value } = fieldsOf(identifier);
  if (typeof value !== 'string' || !names.some((wanted) => wanted.replace(/^\*\./, '') === value))
    throw refused('it wants a proof for a name that was not ordered');
  const ways = Array.isArray(challenges) ? challenges.map(fieldsOf) : undefined;
  if (!ways?.every((one) => typeof one.type === 'string')) throw refused(`it names no ways to prove ${value}`);
  const known = ways.map(({ type, url: at, token, status: state, error }) => ({
    type: String(type),
    url: at,
    token,
    status: state,
    error,
  }));
  return { url, status: String(status), identifier: { value }, challenges: known };
}

// The end of the signal ends the wait. As after a crash, the order has the state that the server reports.
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
