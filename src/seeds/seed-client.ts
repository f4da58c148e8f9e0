// Calls the region's own API for seeds, as its owner: every creation is checked, counted and audited like a client's.
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import type { Json, Values } from '../base/json.ts';
import { CallSlots } from './call-slots.ts';
import { mostThrottled, retryAfterOf } from './retry-after.ts';
import type { SeedRequests, SideEffects } from './seed-requests.ts';

export interface SeedAnswer {
  status: number;
  headers: Headers;
  body: Values;
}

const core = '/cloudapi/v6';
const usualPauseMs = 1000; // if the region limits calls without naming a time
const atOnce = 16; // a call may wait for another operation of the resource

export class SeedClient {
  readonly gateway: string;
  readonly token: string;
  readonly #requests: SeedRequests | undefined;
  readonly #slots = new CallSlots(atOnce);

  constructor(gateway: string, token: string, requests?: SeedRequests) {
    this.gateway = gateway;
    this.token = token;
    this.#requests = requests;
  }

  call(method: string, path: string, body?: Json): Promise<SeedAnswer> {
    return this.#slots.run(() => this.#called(method, path, body));
  }

  // The limit of the region on calls also applies to seeds.
  async #called(method: string, path: string, body?: Json): Promise<SeedAnswer> {
    for (let throttled = 1; ; throttled++) {
      const answer = await this.#attempt(method, path, body);
      if (answer.status !== 429 || throttled >= mostThrottled) return answer;
      await pause(retryAfterOf(answer.headers) ?? usualPauseMs);
    }
  }

  async #attempt(method: string, path: string, body?: Json): Promise<SeedAnswer> {
    const answer = await fetch(this.gateway + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? {} : (JSON.parse(text) as Values) };
  }

  // All items of a collection, with their properties.
  async list(path: string): Promise<Values[]> {
    const pageSize = 1000;
    const all: Values[] = [];
    for (;;) {
      const { status, body } = await this.call('GET', `${path}?depth=1&limit=${pageSize}&offset=${all.length}`);
      if (status !== 200) throw new Fault('unavailable', `${path} can't be listed: ${messagesOf(body).join(' ')}`);
      const items = body.items as Values[];
      all.push(...items);
      if (items.length < pageSize) return all;
    }
  }

  // Resolves with the reason if the change failed.
  async untilDone({ headers }: SeedAnswer): Promise<string | undefined> {
    return this.#requests?.ended(headers.get('x-request-id') ?? '');
  }

  // Resources that a call creates implicitly: volumes with a server, a LAN that a NIC names and that does not exist.
  async sideEffects({ headers, body }: SeedAnswer): Promise<SideEffects> {
    const found = await this.#requests?.sideEffects(headers.get('x-request-id') ?? '', String(body.id));
    return { others: found?.others.map((path) => `${core}/${path}`) ?? [], isEmpty: found?.isEmpty ?? false };
  }

  // Returns the reason if the resource still exists.
  async remove(path: string): Promise<string | undefined> {
    const removed = await this.call('DELETE', path);
    if (removed.status === 404) return undefined;
    return removed.status < 300 ? this.untilDone(removed) : messagesOf(removed.body).join(' ');
  }
}

export function messagesOf(body: Values): string[] {
  const messages = body.messages as { message: string }[] | undefined;
  return messages?.map(({ message }) => message) ?? ['The region refused it.'];
}
