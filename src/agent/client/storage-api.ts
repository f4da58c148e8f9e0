// Buckets and objects by the S3 protocol, with the caller's own key. Answers are XML, and become JSON.
import { XMLParser } from 'fast-xml-parser';
import { machineTime } from '../../base/clock.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { s3Error } from '../../core/s3-client/error.ts';
import { signedRequest } from '../../core/s3-client/request.ts';
import { storageAddress, urlOf } from './addresses.ts';
import type { Access, Call, Connection } from './connection.ts';
import { apiFailure, Failure, missingStorageKey } from './failure.ts';
import type { Answer, ReadOnlyClient } from './read-only-client.ts';

const defaultRegion = 'eu-central-3';

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
  query?: Readonly<Record<string, string | number | undefined>>; // an empty value adds the name alone: ?location
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

  // Reads a document that is JSON, such as a policy.
  async json(target: StorageTarget): Promise<Json> {
    return JSON.parse((await this.#ask('get', target)).text) as Json;
  }

  async head(target: StorageTarget): Promise<Readonly<Record<string, string>>> {
    return (await this.#ask('head', target)).headers;
  }

  async #ask(method: 'get' | 'head', target: StorageTarget): Promise<Answer> {
    const { bucket } = target;
    const region = bucket === undefined ? defaultRegion : await this.#regionOf(bucket);
    return this.#send(method, target, region);
  }

  // The region of each bucket is requested once: the signature and the host depend on it.
  async #regionOf(bucket: string): Promise<string> {
    const known = this.#regions.get(bucket);
    if (known !== undefined) return known;
    const { text } = await this.#send('get', { bucket, query: { location: '' } }, defaultRegion);
    const answer = xml.parse(text) as { LocationConstraint?: unknown };
    const region = typeof answer.LocationConstraint === 'string' && answer.LocationConstraint;
    this.#regions.set(bucket, region || defaultRegion);
    return region || defaultRegion;
  }

  async #send(method: 'get' | 'head', { bucket, key, query = {} }: StorageTarget, region: string): Promise<Answer> {
    const { client, connection, key: own, userAgent } = this.#options;
    const { source } = connection;
    if (!own) throw new Failure(`This tool reads object storage by the S3 protocol. ${missingStorageKey(source)}`);
    checkTarget(bucket, key);
    const request = {
      method: method === 'get' ? 'GET' : 'HEAD',
      query,
      ...(bucket !== undefined && { bucket }),
      ...(key !== undefined && { key }),
    } as const;
    const call = ({ apiUrl }: Access): Call => {
      const origin = urlOf(storageAddress(apiUrl, region)).origin;
      const { url, headers } = signedRequest(origin, request, { ...own, region }, machineTime());
      return { url, answer: client[method](url, { ...headers, 'user-agent': userAgent() }) };
    };
    const answer = await connection.ask(call);
    if (answer.status === 200) return answer;
    throw apiFailure(answer.status, reasonOf(answer), source);
  }
}

const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

// URLs remove `.` and `..`, so a key with such a part would address another object.
function checkTarget(bucket: string | undefined, key: string | undefined): void {
  if (bucket !== undefined && !bucketName.test(bucket))
    throw new Failure(`'${bucket.slice(0, 80)}' is not a valid bucket name.`);
  if (key === undefined) return;
  const parts = key.split('/');
  if (key === '' || parts.some((part) => part === '.' || part === '..'))
    throw new Failure("The key can't be used in a URL: it is empty or has a part `.` or `..`.");
}

const xml = new XMLParser({ ignoreAttributes: true, parseTagValue: false, trimValues: false });

// `NoSuchBucket: The specified bucket does not exist`. The answer to a HEAD has no body.
function reasonOf({ status, text }: Answer): string {
  const { code, message } = s3Error(text);
  return code === '' ? text || (status === 404 ? 'not found' : '') : `${code}: ${message}`;
}

// A list of one element looks like a single element in XML.
export const listIn = (value: Json | undefined): Values[] =>
  (Array.isArray(value) ? value : value === undefined || value === '' ? [] : [value]).filter(isObject);
