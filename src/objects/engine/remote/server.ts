// An S3 server, as it is reached by its address: s3+http(s)://KEY:SECRET@host:port/bucket/prefix?region=NAME. Buckets
// are addressed by path, which every server takes. Calls that fail for the moment are repeated a few times.
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { machineTime } from '../../../base/clock.ts';
import { Fault } from '../../../base/fault.ts';
import { type S3Credentials, sign } from '../../../core/s3-signature/sign.ts';
import { sha256 } from '../../../core/s3-signature/signing-key.ts';

const answerMs = 60_000; // until the head of an answer is there
const mostAttempts = 3;
const pauseMs = 100; // before the second attempt; then twice as long each

export interface S3Call {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  key?: string; // below the prefix; without it the call is to the bucket
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer> | string;
  isOnce?: boolean; // must not be repeated
}

export class S3Server {
  readonly prefix: string;
  readonly #bucket: string;
  readonly #origin: string;
  readonly #credentials: S3Credentials;

  constructor(address: string) {
    const { url, bucket, prefix } = parsed(address);
    this.prefix = prefix;
    this.#bucket = bucket;
    this.#origin = url.origin;
    this.#credentials = {
      accessKey: decodeURIComponent(url.username),
      secretKey: decodeURIComponent(url.password),
      region: url.searchParams.get('region') ?? 'us-east-1',
    };
  }

  // The answer of a call that worked, or that found nothing (404), with its body unread. Everything else is a fault.
  async call(call: S3Call): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#attempt(call).catch((cause: unknown) => this.#fault('does not answer', cause));
      if (answer instanceof Response && (answer.ok || answer.status === 404)) return answer;
      const mayPass = answer instanceof Fault || answer.status >= 500 || answer.status === 429;
      if (call.isOnce || !mayPass || attempt === mostAttempts) throw await this.#refusal(answer);
      if (answer instanceof Response) await answer.body?.cancel();
      await wait(pauseMs * 2 ** (attempt - 1));
    }
  }

  // The whole answer of a call to something that must be there.
  async answer(call: S3Call): Promise<{ text: string; headers: Headers }> {
    const answer = await this.call(call);
    if (!answer.ok) throw await this.#refusal(answer);
    const text = await this.read(answer.text());
    // A server that has begun to answer can tell of a failure only in the body.
    if (/<Error>/.test(text)) throw this.#fault(`answered ${errorIn(text)}`);
    return { text, headers: answer.headers };
  }

  // The answer with its body unread; undefined if the key does not exist.
  async find(call: S3Call): Promise<Response | undefined> {
    const answer = await this.call(call);
    if (answer.ok) return answer;
    const text = await this.read(answer.text());
    if (errorIn(text) === 'NoSuchKey') return undefined;
    throw this.#fault(`answered ${errorIn(text) || answer.status}`);
  }

  // The body of an answer, where a connection that breaks is a fault.
  read<T>(body: Promise<T>): Promise<T> {
    return body.catch((cause: unknown) => {
      throw this.#fault('broke off its answer', cause);
    });
  }

  async #attempt({ method, key, query = {}, headers = {}, body = '' }: S3Call): Promise<Response> {
    const path = key === undefined ? this.#bucket : `${this.#bucket}/${this.prefix}${key}`;
    const url = new URL(`/${path}`, this.#origin);
    url.search = new URLSearchParams(query).toString();
    const signed = sign({ method, url, headers, payloadHash: sha256(body) }, this.#credentials, machineTime());
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), answerMs);
    try {
      return await fetch(url, {
        method,
        headers: { ...signed, 'accept-encoding': 'identity' },
        redirect: 'error',
        signal: late.signal,
        ...(method === 'GET' || method === 'DELETE' ? {} : { body }),
      });
    } finally {
      clearTimeout(timer); // the body may take longer
    }
  }

  async #refusal(answer: Response | Fault): Promise<Fault> {
    if (answer instanceof Fault) return answer;
    const text = await answer.text().catch(() => '');
    return this.#fault(`answered ${answer.status} ${errorIn(text)}`);
  }

  #fault(what: string, cause?: unknown): Fault {
    return new Fault('unavailable', `The S3 server ${new URL(this.#origin).host} ${what.trim()}.`, { cause });
  }
}

export const md5 = (text: string): string => createHash('md5').update(text).digest('base64');

const errorIn = (text: string): string => /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? '';

function parsed(address: string): { url: URL; bucket: string; prefix: string } {
  const url = URL.parse(/^s3\+(https?:\/\/.+)$/.exec(address)?.[1] ?? '');
  const [, bucket, prefix = ''] = /^\/([a-z0-9][a-z0-9.-]+)(?:\/([\w./-]*))?$/.exec(url?.pathname ?? '') ?? [];
  if (!url || bucket === undefined || !url.username || !url.password) {
    const shown = address.replace(/\/\/.*@/, '//');
    throw new Fault('refused', `${shown} is no address such as s3+http://KEY:SECRET@host:9000/bucket/prefix`);
  }
  return { url, bucket, prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/` };
}
