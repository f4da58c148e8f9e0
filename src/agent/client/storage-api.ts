// Buckets and objects by the S3 protocol, with the caller's own key. Answers are XML, and become JSON.
import { XMLParser } from 'fast-xml-parser';
import { machineTime } from '../../base/clock.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { encodePath } from '../../core/s3-signature/percent-encoding.ts';
import { type S3Credentials, sign } from '../../core/s3-signature/sign.ts';
import { storageAddress, urlOf } from './addresses.ts';
import type { Access, Call, Connection } from './connection.ts';
import { apiFailure, Failure, missingStorageKey } from './failure.ts';
import type { Answer, ReadOnlyClient } from './read-only-client.ts';

const usualRegion = 'eu-central-3';
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'; // SHA-256 of no bytes

export interface StorageKey {
  accessKey: string;
  secretKey: string;
}

export interface StorageApiOptions {
  client: ReadOnlyClient;
  connection: Connection;
  key: StorageKey | undefined;
  userAgent(): string;
}

export interface StorageTarget {
  bucket?: string;
  key?: string;
  query?: Readonly<Record<string, string | number | undefined>>; // an empty text is a name alone: ?location
}

export class StorageApi {
  readonly #options: StorageApiOptions;
  readonly #regions = new Map<string, string>(); // by bucket

  constructor(options: StorageApiOptions) {
    this.#options = options;
  }

  // Undefined: there is a key.
  get missingKey(): string | undefined {
    const { key, connection } = this.#options;
    return key === undefined ? missingStorageKey(connection.source) : undefined;
  }

  // The document below its root element.
  async get(target: StorageTarget): Promise<Values> {
    const { text } = await this.#ask('get', target);
    const parsed = xml.parse(text) as Values;
    const root = Object.entries(parsed).find(([name]) => !name.startsWith('?'))?.[1] ?? null;
    return isObject(root) ? root : { value: root };
  }

  // A document that is JSON: policies.
  async json(target: StorageTarget): Promise<Json> {
    return JSON.parse((await this.#ask('get', target)).text) as Json;
  }

  async head(target: StorageTarget): Promise<Readonly<Record<string, string>>> {
    return (await this.#ask('head', target)).headers;
  }

  async #ask(method: 'get' | 'head', target: StorageTarget): Promise<Answer> {
    const { bucket } = target;
    const region = bucket === undefined ? usualRegion : await this.#regionOf(bucket);
    return this.#send(method, target, region);
  }

  // Each bucket is asked for its region once: the signature and the host depend on it.
  async #regionOf(bucket: string): Promise<string> {
    const known = this.#regions.get(bucket);
    if (known !== undefined) return known;
    const { text } = await this.#send('get', { bucket, query: { location: '' } }, usualRegion);
    const told = xml.parse(text) as { LocationConstraint?: unknown };
    const region = typeof told.LocationConstraint === 'string' && told.LocationConstraint;
    this.#regions.set(bucket, region || usualRegion);
    return region || usualRegion;
  }

  async #send(method: 'get' | 'head', { bucket, key, query = {} }: StorageTarget, region: string): Promise<Answer> {
    const { client, connection, key: own, userAgent } = this.#options;
    const { source } = connection;
    if (!own) throw new Failure(`This tool reads object storage by the S3 protocol. ${missingStorageKey(source)}`);
    const call = ({ apiUrl }: Access): Call => {
      const url = urlOf(`${storageAddress(apiUrl, region)}/${pathIn(bucket, key)}`);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.append(name, String(value));
      const credentials: S3Credentials = { ...own, region };
      const request = { method: method.toUpperCase(), url, headers: {}, payloadHash: emptyHash };
      const headers = { ...sign(request, credentials, machineTime()), 'user-agent': userAgent() };
      return { url, answer: client[method](url, headers) };
    };
    const answer = await connection.ask(call);
    if (answer.status === 200) return answer;
    throw apiFailure(answer.status, reasonOf(answer), source);
  }
}

const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

// A URL takes `.` and `..` away, so that a key with such a part would become another one.
function pathIn(bucket: string | undefined, key: string | undefined): string {
  if (bucket === undefined) return '';
  if (!bucketName.test(bucket)) throw new Failure(`'${bucket.slice(0, 80)}' can't be the name of a bucket.`);
  if (key === undefined) return bucket;
  const parts = key.split('/');
  if (key === '' || parts.some((part) => part === '.' || part === '..'))
    throw new Failure("This key can't be asked for: it is empty or has a part `.` or `..`.");
  return `${bucket}/${encodePath(key)}`;
}

const xml = new XMLParser({ ignoreAttributes: true, parseTagValue: false, trimValues: false });

// `NoSuchBucket: The specified bucket does not exist`. The answer to a HEAD has no body.
function reasonOf({ status, text }: Answer): string {
  const [, code] = /<Code>([^<]*)<\/Code>/.exec(text) ?? [];
  const [, message = ''] = /<Message>([^<]*)<\/Message>/.exec(text) ?? [];
  return code === undefined ? text || (status === 404 ? 'not found' : '') : `${code}: ${message}`;
}

// A list of one looks like a single element.
export const listIn = (value: Json | undefined): Values[] =>
  (Array.isArray(value) ? value : value === undefined || value === '' ? [] : [value]).filter(isObject);
