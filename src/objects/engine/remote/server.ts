// A client for an S3 server with an address like s3+http(s)://KEY:SECRET@host:port/bucket/prefix?region=NAME.
import { createHash } from 'node:crypto';
import { machineTime } from '../../../base/clock.ts';
import { Fault } from '../../../base/fault.ts';
import { retryAfterS, ServerWatch } from '../../../core/engines/server-watch.ts';
import { S3Client, type S3Call as S3ClientCall } from '../../../core/s3-client/client.ts';
import { s3Error } from '../../../core/s3-client/error.ts';

const probeMs = 2000;

// The key is below the prefix; a call without a key is to the bucket.
export type S3Call = Omit<S3ClientCall, 'bucket'>;

export class S3Server {
  readonly prefix: string;
  readonly #bucket: string;
  readonly #host: string;
  readonly #client: S3Client;
  readonly #watch: ServerWatch;

  constructor(address: string) {
    const { url, bucket, prefix } = parsed(address);
    this.prefix = prefix;
    this.#bucket = bucket;
    this.#host = url.host;
    const credentials = {
      accessKey: decodeURIComponent(url.username),
      secretKey: decodeURIComponent(url.password),
      region: url.searchParams.get('region') ?? 'us-east-1',
    };
    this.#watch = new ServerWatch(url.origin);
    this.#client = new S3Client({ origin: url.origin, credentials, now: machineTime });
  }

  // Returns the answer of a call that succeeded or found nothing (404), with its body unread. Everything else is a
  // fault.
  async call(call: S3Call): Promise<Response> {
    const key = call.key === undefined ? {} : { key: this.prefix + call.key };
    const work = (signal: AbortSignal): Promise<Response> =>
      this.#client.call({ ...call, ...key, bucket: this.#bucket }, signal);
    const answer = await this.#watch.during(work).catch((cause: unknown) => {
      throw this.#fault('does not answer', cause);
    });
    if (answer.ok || answer.status === 404) return answer;
    throw await this.#refusal(answer);
  }

  // Returns the whole answer of a call to a resource that must exist.
  async answer(call: S3Call): Promise<{ text: string; headers: Headers }> {
    const answer = await this.call(call);
    if (!answer.ok) throw await this.#refusal(answer);
    const text = await this.read(answer.text());
    // A server that has started its answer can report a failure only in the body.
    if (/<Error>/.test(text)) throw this.#fault(`answered ${errorIn(text)}`);
    return { text, headers: answer.headers };
  }

  // Returns the answer with its body unread; undefined if the key does not exist.
  async find(call: S3Call): Promise<Response | undefined> {
    const answer = await this.call(call);
    if (answer.ok) return answer;
    const text = await this.read(answer.text());
    if (errorIn(text) === 'NoSuchKey') return undefined;
    throw this.#fault(`answered ${errorIn(text) || answer.status}`);
  }

  // Lists a key, which needs valid credentials and the bucket. It does not wait long: a node starts without it too.
  async probe(): Promise<void> {
    const call: S3ClientCall = {
      ...{ method: 'GET', bucket: this.#bucket, isOnce: true },
      query: { 'list-type': 2, 'max-keys': 1, prefix: this.prefix },
    };
    const answer = await this.#client.call(call, AbortSignal.timeout(probeMs)).catch((cause: unknown) => {
      throw this.#fault('does not answer', cause);
    });
    if (answer.ok) return void (await answer.body?.cancel());
    if (answer.status >= 500 || answer.status === 429) throw await this.#refusal(answer);
    const { code } = s3Error(await answer.text().catch(() => ''));
    throw new Fault(
      'refused',
      `The S3 server ${this.#host} can't be used: a list of the bucket '${this.#bucket}' was answered with ` +
        `${answer.status} ${code}. ${remedyFor(answer.status)}`,
    );
  }

  // Reads the body of an answer; a broken connection is a fault.
  read<T>(body: Promise<T>): Promise<T> {
    return this.#watch
      .during(() => body)
      .catch((cause: unknown) => {
        throw this.#fault('aborted its answer', cause);
      });
  }

  async #refusal(answer: Response): Promise<Fault> {
    const text = await answer.text().catch(() => '');
    return this.#fault(`answered ${answer.status} ${errorIn(text)}`);
  }

  #fault(what: string, cause?: unknown): Fault {
    return new Fault('unavailable', `The S3 server ${this.#host} ${what.trim()}.`, { cause, retryAfterS });
  }
}

export const md5 = (text: string): string => createHash('md5').update(text).digest('base64');

const remedyFor = (status: number): string =>
  status === 404
    ? 'Create the bucket, or correct --objects.'
    : 'Correct the key, the secret and the region in --objects (s3+http://KEY:SECRET@HOST/BUCKET?region=NAME).';

const errorIn = (text: string): string => s3Error(text).code;

function parsed(address: string): { url: URL; bucket: string; prefix: string } {
  const url = URL.parse(/^s3\+(https?:\/\/.+)$/.exec(address)?.[1] ?? '');
  const [, bucket, prefix = ''] = /^\/([a-z0-9][a-z0-9.-]+)(?:\/([\w./-]*))?$/.exec(url?.pathname ?? '') ?? [];
  if (!url || bucket === undefined || !url.username || !url.password) {
    const shown = address.replace(/\/\/.*@/, '//');
    throw new Fault(
      'refused',
      `${shown} is not a valid address. Expected s3+http://KEY:SECRET@host:9000/bucket/prefix`,
    );
  }
  return { url, bucket, prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/` };
}
