// What products give each other, one small interface each. A product imports no other product: it fills its own
// ports while it is opened, and uses those of others only after all products are open. So two products may need each
// other. A port that nobody has filled fails by its name.
import type { Values } from '../base/json.ts';
import type { Caller } from '../core/access.ts';
import type { Bounds } from '../core/operation/reservations.ts';
import type { NumberSource } from '../core/own-numbers.ts';
import type { Row } from '../core/state/engine.ts';
import type { Authenticator } from './http/authentication.ts';
import type { Route } from './http/exchange.ts';

export interface Port<T> {
  readonly name: string;
  readonly carries?: T; // only for the type checker
}

export const port = <T>(name: string): Port<T> => ({ name });

export class Ports {
  readonly #filled = new Map<string, unknown>();

  fill<T>(to: Port<T>, value: T): void {
    if (this.#filled.has(to.name)) throw new Error(`two products fill the port ${to.name}`);
    this.#filled.set(to.name, value);
  }

  use<T>(from: Port<T>): T {
    if (!this.#filled.has(from.name)) throw new Error(`no product fills the port ${from.name}`);
    return this.#filled.get(from.name) as T;
  }

  // For what a region may do without.
  find<T>(from: Port<T>): T | undefined {
    return this.#filled.get(from.name) as T | undefined;
  }

  // A port that several products add to.
  add<T>(to: Port<readonly T[]>, item: T): void {
    this.#filled.set(to.name, [...this.list(to), item]);
  }

  list<T>(from: Port<readonly T[]>): readonly T[] {
    return this.find(from) ?? [];
  }
}

// Identity: who calls, in which contracts, within which limits, and how people sign in to the console.
export const authentication = port<Authenticator>('authentication');
export const contractLimits = port<{
  limits(contract: number): Promise<Readonly<Record<string, number>>>; // by the platform's names
  bounds(contract: number): Promise<Bounds>; // by the name of the counter
}>('contract limits');
export const contracts = port<{
  numbers(): Promise<number[]>;
  first(): Promise<number>; // the one that was made with the region: its owner has the whole lab
  asMember(user: string, contract: number): Promise<Caller>; // a person in one of their contracts
}>('contracts');
export const signIn = port<{
  routes: Route[];
  lifetimes: readonly [name: string, seconds: number][]; // that a token may have
  mostTokens: number;
}>('sign-in');

// The console: the addresses of its files, which the API pages load too. Undefined: they can't be bundled here.
export const webFiles = port<{ address(name: string): Promise<string | undefined> }>('web files');

// Compute: its machines and its network, for the lab.
export interface LabMachines {
  find(contract: number, serverId: string): Promise<Row | undefined>;
  look(server: Row, now: number): Promise<Values>;
  load(server: Row, now: number): Promise<Values>;
  setLoad(server: Row, sent: Values, now: number): Promise<Values>; // as it is from now on
}
export const labMachines = port<LabMachines>('machines of the lab');

export interface LabTraffic {
  readonly protocols: readonly string[];
  // `packet`: { from: { nicId, ip? } or { ip }, to, protocol, sourcePort?, targetPort?, icmpType?, icmpCode?, http?,
  // packets, bytes }
  send(
    contract: number,
    packet: Values,
    repeat: { count: number; sourcePortStep: number }, // the source port grows from one to the next
  ): Promise<{ verdict: 'ACCEPTED' | 'REJECTED' }[]>;
  find(contract: number, datacenterId: string): Promise<Row | undefined>;
  flows(datacenter: Row, since: number, limit: number): Promise<Values>;
}
export const labTraffic = port<LabTraffic>('traffic of the lab');

// Object storage: where flow logs are written to.
export const buckets = port<{ exists(contract: number, name: string): Promise<boolean> }>('buckets');

export interface ObjectWriter {
  isHere(): boolean; // false: another node has the bytes, and only that one may put
  canWrite(contract: number, bucket: string): Promise<boolean>; // false too where there is no such bucket
  // Resolves when the object is on disk. Rejects with a Fault 'missing' where the bucket is gone.
  put(contract: number, bucket: string, key: string, body: Buffer, options: { contentType: string }): Promise<void>;
  exists(contract: number, bucket: string, key: string): Promise<boolean>;
}
export const objectWriter = port<ObjectWriter>('object writer');

// Products that measure something of a contract, for central monitoring.
export const ownNumbers = port<readonly NumberSource[]>('own numbers');
