// One API of the protocol: its key, the versions that we answer, and the tables of its two messages. Codecs are made
// when a version is first used.
import { type Codec, codecOf, type Fields, type GivenOf, type ValueOf } from './field.ts';
import type { Writer } from './writer.ts';

export interface ApiTable<Request extends Fields, Response extends Fields> {
  key: number;
  name: string;
  versions: [first: number, last: number];
  flexible: number; // the first version with compact lengths and tagged fields
  request: Request;
  response: Response;
}

export interface ApiVersion<Request, Response> {
  flexible: boolean;
  request: { read: Codec<Request>['read']; write(writer: Writer, value: Partial<Request>): void };
  response: { read: Codec<unknown>['read']; write(writer: Writer, value: Response): void };
}

export interface Api<Request = unknown, Response = unknown> {
  key: number;
  name: string;
  versions: [first: number, last: number];
  fields: { request: Fields; response: Fields };
  at(version: number): ApiVersion<Request, Response>;
}

export type RequestOf<A> = A extends Api<infer Request, infer _> ? Request : never;
export type ResponseOf<A> = A extends Api<infer _, infer Response> ? Response : never;

export function api<Request extends Fields, Response extends Fields>(
  table: ApiTable<Request, Response>,
): Api<ValueOf<Request>, GivenOf<Response>> {
  const codecs = new Map<number, ApiVersion<ValueOf<Request>, GivenOf<Response>>>();
  const make = (version: number): ApiVersion<ValueOf<Request>, GivenOf<Response>> => {
    const flexible = version >= table.flexible;
    const request = codecOf(table.request, version, flexible);
    const response = codecOf(table.response, version, flexible);
    return { flexible, request: request as never, response };
  };
  return {
    key: table.key,
    name: table.name,
    versions: table.versions,
    fields: { request: table.request, response: table.response },
    at(version) {
      const codec = codecs.get(version) ?? make(version);
      codecs.set(version, codec);
      return codec;
    },
  };
}
