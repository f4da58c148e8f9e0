// One API of the protocol: its key, the supported versions, and the tables of its two messages. A codec is created when
// its version is first used.
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

// A decoded answer has every field; when an answer is encoded, missing fields get their defaults.
export interface ApiVersion<Request, Response, Answer = unknown> {
  flexible: boolean;
  request: { read: Codec<Request>['read']; write(writer: Writer, value: Partial<Request>): void };
  response: { read: Codec<Answer>['read']; write(writer: Writer, value: Response): void };
}

export interface Api<Request = unknown, Response = unknown, Answer = unknown> {
  key: number;
  name: string;
  versions: [first: number, last: number];
  fields: { request: Fields; response: Fields };
  at(version: number): ApiVersion<Request, Response, Answer>;
}

export type RequestOf<A> = A extends Api<infer Request, infer _> ? Request : never;
export type ResponseOf<A> = A extends Api<infer _, infer Response> ? Response : never;

export function api<Request extends Fields, Response extends Fields>(
  table: ApiTable<Request, Response>,
): Api<ValueOf<Request>, GivenOf<Response>, ValueOf<Response>> {
  type Version = ApiVersion<ValueOf<Request>, GivenOf<Response>, ValueOf<Response>>;
  const codecs = new Map<number, Version>();
  const make = (version: number): Version => {
    const flexible = version >= table.flexible;
    const request = codecOf(table.request, version, flexible);
    const response = codecOf(table.response, version, flexible);
    return { flexible, request: request as never, response: response as never };
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
