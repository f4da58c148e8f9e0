// One request on its way through the stages, and the parts of services and routes.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import type { Fault, FaultKind } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';
import type { Caller, Privilege } from '../../core/access.ts';
import type { BodyMemory } from '../../core/body-memory.ts';
import type { CallHome } from '../../core/nodes/engine-home.ts';
import type { BusyWait } from '../../core/operation/busy-retry.ts';
import type { RequestInfo } from '../../core/operation/request.ts';
import type { Epoch } from '../../core/recent-cache.ts';
import type { Row } from '../../core/state/engine.ts';

export type Pieces = AsyncIterable<string | Uint8Array>; // of a stream; a Readable is one

export interface Reply {
  status: number;
  body?: string | Buffer;
  stream?: Pieces; // instead of a body; what fails before its first piece is answered as a fault
  type?: string; // application/json by default
  headers?: string[]; // name, value, name, value …
  size?: number; // of the body or stream in bytes, where it is known
}

export interface Route {
  method: string;
  path: string; // /datacenters/{datacenterId}
  operation: string; // datacenter_create: also in the audit, the log and the metrics
  summary: string;
  open?: boolean; // it needs no credentials
  adminOnly?: boolean;
  privilege?: Privilege | 'none'; // that a user needs to call it
  takesBody?: boolean;
  takesBytes?: boolean; // a raw body, not JSON: `bytes`
  takesStream?: boolean; // `call` reads it by bodyStream(); without a bodyLimit there is none
  bodyLimit?: number;
  unaudited?: boolean; // reads of it leave no entry
  auditOnce?: 'hour'; // calls of it leave one entry per caller and hour, and changes no line in the log
  keptBy?: CallHome | undefined; // of the data that the handler needs: it runs on the node that has them
  notedAfter?: boolean; // a change that writes no audit entry: one is created from the body, which has no secrets
  parameters?: Parameter[];
  bodySchema?: Json | undefined;
  bodyTypes?: MediaTypes; // accepted in addition to JSON, or instead of it
  replySchema?: Json | undefined; // absent: the answer has no body
  replyStatus?: number;
  otherStatus?: number; // another status of a success, such as that of a PUT that creates
  isPolled?: boolean; // its 202 has no Location: clients poll the resource itself
  replyTypes?: string[]; // application/json by default
  otherReplies?: MediaTypes; // other forms of a success, which the client chooses
  failsAlso?: { statuses: readonly number[]; types: MediaTypes }; // failures by `call`, in another protocol's payload
  mayRefuse?: boolean; // a read that the state may not allow, such as the screen of a stopped server
  mayConflict?: boolean; // 409: another resource or a pending operation conflicts
  // Finds the resources of the path, sets `rows`, and checks that the caller may.
  resolve?(x: Exchange): Promise<void> | void;
  call(x: Exchange): Promise<Reply> | Reply;
  // For a GET that opens a WebSocket, instead of `call`; `x.signal` is aborted when the client disconnects.
  upgrade?(x: Exchange, socket: WebSocket): Promise<void> | void;
}

export type MediaTypes = Readonly<Record<string, Json>>; // schemas by media type

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  description: string;
  schema: Json;
  required?: boolean;
}

export type Statuses = Partial<Record<FaultKind, number>>;

export interface Service {
  name: string; // cloudapi
  title: string;
  version?: string; // 1.0 by default
  description: string;
  prefixes: string[]; // the first is the one that links carry
  hosts: string[]; // `api`, `monitoring.<region>`: in front of the domain; a <number> becomes the path's first part
  wholeHosts?: readonly string[]; // names in other domains; see ServiceHosts
  restApiPage?: string; // its name in the index of the platform's REST API pages; absent: it is not listed
  roots?: string[]; // first parts of paths that it serves without a prefix
  atRoot?: RootPaths;
  claims?(x: Exchange): boolean; // whether a call at the gateway is for it, whatever its path: by host or credentials
  claimsHost?(host: string): boolean; // whether all calls at the gateway that name this host are for it
  findRoute?(x: Exchange): Route; // instead of the usual routing by method and path
  notBuilt?: Readonly<Record<string, string>>; // parts that it lacks, by the beginning of their paths
  takesBasic: boolean; // with the usual authentication
  authentication?: Authentication; // absent: the Authorization header, or a session of the console
  routes: Route[];
  groups?: readonly string[]; // the first words of its operations, in the order of documents and pages
  isHidden?: boolean; // no API: it has no document and no page
  statuses?: Statuses; // of its faults, where they differ from the platform's
  failures?: MediaTypes; // what `renderFault` makes of them, where that is not the platform's payload
  renderFault(fault: Fault, x: Exchange): Reply; // in the service's own protocol; kind 'internal' is a bug
  renderRefusal?: RenderRefusal; // of what became no request, on its own listener and hosts; absent: the platform's
}

// What became no request, because its headers or its bytes can't be taken.
export interface Refusal {
  status: number; // of HTTP
  message: string;
  id: string; // of the answer
}

export type RenderRefusal = (refusal: Refusal) => Reply;

// How a service authenticates its callers.
export interface Authentication {
  schemes: Values; // for the OpenAPI document: securitySchemes by name
  findCaller: FindCaller;
}

// Throttle, audit and isolation follow from the caller. Undefined: the call is anonymous, and the routes decide what
// is open to everybody. Wrong or missing credentials are a Fault of kind 'unauthenticated', which is counted against
// the address.
export type FindCaller = (x: Exchange) => Caller | undefined | Promise<Caller | undefined>;

const nothing = new Uint8Array();

// For clients that know one host and send the paths of all products to its root; some paths are those of several.
export interface RootPaths {
  parts: string[]; // the first parts of its paths: `pipelines`
  agent: string; // in the User-Agent of clients of this product alone
  fits?(body: Json | undefined): boolean; // whether the body may be for this product
  has(x: Exchange, id: string): Promise<boolean>; // whether the id is that of a resource of this product
}

// Sent by the node that the client called, if it forwarded the call to this node.
export interface Forwarded {
  service: string; // that the call is for
  address: string; // of the client
  secure: boolean; // it came by TLS
  base: string; // what links begin with
}

export class Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse | undefined; // absent: the connection is to become a WebSocket
  secure: boolean;
  forwarded: Forwarded | undefined; // absent: the client has called this node
  readonly startedAt = performance.now();
  id = '';
  method: string;
  path = '';
  query = '';
  host = '';
  prefix = ''; // the part before the path
  base = ''; // scheme, host and the service's prefix: what hrefs begin with
  service: Service | undefined;
  region: string | undefined; // absent: every region
  sharesOrigin = false; // the console answers at the same scheme, host and port
  route: Route | undefined;
  params: string[] = [];
  rest = ''; // the raw rest of the path, if the route has a wildcard
  caller: Caller | undefined;
  rows: Row[] = []; // the resources of the path, uppermost first
  readonly wait: BusyWait = { isAbandoned: () => this.isGone }; // for busy resources, in all stages together
  epoch: Epoch | undefined; // of the contract, as it was when the call came; for reads
  text = ''; // the body …
  body: Json | undefined; // … and as parsed JSON
  bytes: Uint8Array<ArrayBuffer> = nothing; // a body other than JSON, in a separate buffer
  bodyMemory: BodyMemory | undefined; // the budget that its whole body is counted in …
  heldBytes = 0; // … and how much of it this one has
  rate: string[] = []; // X-RateLimit headers
  reply: Reply | undefined;
  awaitsContinue: boolean; // the client sends its body only after a 100 Continue
  #search: URLSearchParams | undefined;
  #gone: AbortController | undefined;

  constructor(req: IncomingMessage, res: ServerResponse | undefined, secure: boolean) {
    this.req = req;
    this.res = res;
    this.secure = secure;
    this.method = req.method ?? 'GET';
    this.awaitsContinue = /^100-continue$/i.test(req.headers.expect ?? '');
  }

  get address(): string {
    return this.forwarded?.address ?? this.req.socket.remoteAddress ?? '';
  }

  get isGone(): boolean {
    return this.req.socket.destroyed;
  }

  // Aborted when the client disconnects before it has the whole answer.
  get signal(): AbortSignal {
    if (this.#gone) return this.#gone.signal;
    const gone = new AbortController();
    const { res } = this;
    const leave = (): void => {
      if (!res?.writableFinished) gone.abort(new Error('the client has left'));
    };
    if (this.isGone) leave();
    else (res ?? this.req.socket).once('close', leave);
    this.#gone = gone;
    return gone.signal;
  }

  get search(): URLSearchParams {
    this.#search ??= new URLSearchParams(this.query);
    return this.#search;
  }

  // For handlers behind `authenticate`.
  get who(): Caller {
    if (!this.caller) throw new Error(`${this.route?.operation} needs a caller`);
    return this.caller;
  }

  get requestInfo(): RequestInfo {
    return {
      id: this.id,
      method: this.method,
      url: this.base + this.path,
      headers: auditedHeaders(this.req.headers),
      address: this.address,
      host: this.host,
      service: this.service?.name ?? '',
      operation: this.route?.operation ?? '',
      caller: this.who,
    };
  }
}

// The headers that a request and its audit entry keep.
function auditedHeaders(headers: IncomingHttpHeaders): Values {
  const kept: Values = {};
  for (const name of ['user-agent', 'content-type', 'accept', 'x-contract-number']) {
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value;
  }
  return kept;
}

// For an answer that is kept and sent again.
export const measured = (body: string, headers: string[]): Reply => ({
  status: 200,
  body,
  headers,
  size: Buffer.byteLength(body),
});

export const json = (status: number, value: unknown, headers?: string[]): Reply => ({
  status,
  body: typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value),
  ...(headers && { headers }),
});
