// The ACME protocol (RFC 8555) as the region uses it: an account with an EC P-256 key, orders, and proofs by DNS.
import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type AcmeAnswer, type AcmeHttp, fieldsOf, refused } from './acme-http.ts';

export interface AcmeOrder {
  url: string;
  status: string;
  authorizations: unknown; // addresses
  finalize: unknown;
  certificate: unknown;
}

export interface AcmeAuthorization {
  url: string;
  status: string;
  identifier: { value: string };
  challenges: AcmeChallenge[];
}

export interface AcmeChallenge {
  type: string;
  url: unknown;
  status: unknown;
  token: unknown;
  error: unknown;
}

export interface ClientOptions {
  http: AcmeHttp;
  directory: string;
  key: string; // of the account, PEM
  signal: AbortSignal;
}

export interface AccountBinding {
  keyId: string;
  keySecret: string; // base64url
}

const nonceAttempts = 3;
const statusAttempts = 14; // about 45 s
const firstPauseMs = 250;
const longestPauseMs = 5000;

const base64 = (value: string | Buffer): string => Buffer.from(value).toString('base64url');
const base64Json = (value: unknown): string => base64(JSON.stringify(value));

export class AcmeClient {
  readonly #options: ClientOptions;
  readonly #key: KeyObject;
  readonly #publicKey: { crv: unknown; kty: unknown; x: unknown; y: unknown }; // members in the order of RFC 7638
  #directory: Record<string, unknown> | undefined;
  #account = '';
  #nonce: string | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#key = createPrivateKey(options.key);
    const { crv, kty, x, y } = createPublicKey(this.#key).export({ format: 'jwk' });
    this.#publicKey = { crv, kty, x, y };
  }

  // The account of this key, which the server creates if it does not exist.
  async openAccount(email: string, binding: AccountBinding | undefined): Promise<void> {
    const url = await this.#addressOf('newAccount');
    const contact = [`mailto:${email}`];
    const { status, headers } = await this.#post(url, {
      termsOfServiceAgreed: true,
      contact,
      ...(binding && { externalAccountBinding: this.#bound(url, binding) }),
    });
    if (headers.location === undefined) throw refused('its account has no address');
    this.#account = headers.location;
    if (status === 200) await this.#post(this.#account, { contact });
  }

  async createOrder(names: readonly string[]): Promise<AcmeOrder> {
    const identifiers = names.map((value) => ({ type: 'dns', value }));
    const { data, headers } = await this.#post(await this.#addressOf('newOrder'), { identifiers });
    if (headers.location === undefined) throw refused('its order has no address');
    return orderIn(data, headers.location);
  }

  async order(url: string): Promise<AcmeOrder> {
    return orderIn((await this.#post(url)).data, url);
  }

  async authorization(url: unknown): Promise<unknown> {
    return (await this.#post(url)).data;
  }

  // The text of the record that proves a name.
  proofText({ token }: AcmeChallenge): string {
    const thumbprint = createHash('sha256').update(JSON.stringify(this.#publicKey)).digest('base64url');
    return createHash('sha256').update(`${token}.${thumbprint}`).digest('base64url');
  }

  async complete({ url }: AcmeChallenge): Promise<void> {
    await this.#post(url, {});
  }

  async finalize({ finalize, url }: AcmeOrder, request: Buffer): Promise<AcmeOrder> {
    return orderIn((await this.#post(finalize, { csr: base64(request) })).data, url);
  }

  // The certificate and its issuers, each in PEM.
  async certificates({ certificate }: AcmeOrder): Promise<string[]> {
    const { data } = await this.#post(certificate);
    return String(data).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  }

  // Until the server has processed an order or an authorization.
  async untilValid(url: string): Promise<unknown> {
    for (let attempt = 0; attempt < statusAttempts; attempt++) {
      const { data } = await this.#post(url);
      const { status, error } = fieldsOf(data);
      if (status === 'valid') return data;
      if (status !== 'pending' && status !== 'ready' && status !== 'processing')
        throw refused(String(fieldsOf(error).detail ?? 'it is not valid'));
      await wait(Math.min(longestPauseMs, firstPauseMs * 2 ** attempt), undefined, { signal: this.#options.signal });
    }
    throw refused('it does not become valid');
  }

  async #addressOf(name: 'newNonce' | 'newAccount' | 'newOrder'): Promise<unknown> {
    const { http, directory, signal } = this.#options;
    if (!this.#directory) {
      const { status, data } = await http({ method: 'GET', url: directory }, signal);
      this.#directory = fieldsOf(demandOk(status, data));
    }
    return this.#directory[name];
  }

  // Without a payload the call only reads (RFC 8555, 6.3).
  async #post(url: unknown, payload?: object): Promise<AcmeAnswer> {
    const { http, signal } = this.#options;
    if (typeof url !== 'string') throw refused('its answer lacks an address');
    for (let attempt = 1; ; attempt++) {
      const nonce = this.#nonce ?? (await this.#newNonce());
      this.#nonce = undefined;
      const answer = await http({ method: 'POST', url, body: this.#signed(url, nonce, payload) }, signal);
      this.#nonce = nonceIn(answer);
      const { type } = answer.status >= 400 ? fieldsOf(answer.data) : {};
      if (type === 'urn:ietf:params:acme:error:badNonce' && attempt < nonceAttempts) continue;
      demandOk(answer.status, answer.data);
      return answer;
    }
  }

  async #newNonce(): Promise<string> {
    const url = await this.#addressOf('newNonce');
    if (typeof url !== 'string') throw refused('its directory lacks an address');
    const nonce = nonceIn(await this.#options.http({ method: 'HEAD', url }, this.#options.signal));
    return nonce ?? refuse('it gives no nonce');
  }

  // A JWS with ES256, which names the account, or its key where the account is not known yet.
  #signed(url: string, nonce: string, payload: object | undefined): string {
    const by = this.#account === '' ? { jwk: this.#publicKey } : { kid: this.#account };
    const header = base64Json({ alg: 'ES256', nonce, url, ...by });
    const body = payload === undefined ? '' : base64Json(payload);
    const key = { key: this.#key, dsaEncoding: 'ieee-p1363' } as const;
    const signature = sign('sha256', Buffer.from(`${header}.${body}`), key).toString('base64url');
    return JSON.stringify({ protected: header, payload: body, signature });
  }

  // RFC 8555, 7.3.4: the CA's key signs that of the account.
  #bound(url: unknown, { keyId, keySecret }: AccountBinding) {
    const header = base64Json({ alg: 'HS256', kid: keyId, url });
    const payload = base64Json(this.#publicKey);
    const mac = createHmac('sha256', Buffer.from(keySecret, 'base64url')).update(`${header}.${payload}`);
    return { protected: header, payload, signature: mac.digest('base64url') };
  }
}

function refuse(why: string): never {
  throw refused(why);
}

function demandOk(status: number, data: unknown): unknown {
  return status < 400 ? data : refuse(String(fieldsOf(data).detail));
}

function nonceIn({ headers }: AcmeAnswer): string | undefined {
  const nonce = headers['replay-nonce'];
  return typeof nonce === 'string' ? nonce : undefined;
}

function orderIn(data: unknown, url: string): AcmeOrder {
  const { status, authorizations, finalize, certificate } = fieldsOf(data);
  return { url, status: String(status), authorizations, finalize, certificate };
}
