// Calls the region's own API for seeds, as its owner: every creation is checked, counted and audited like a client's.
import { Fault } from '../base/fault.ts';
import type { Json, Values } from '../base/json.ts';

export interface SeedAnswer {
  status: number;
  headers: Headers;
  body: Values;
}

const core = '/cloudapi/v6';

export type MadeBy = (request: string) => Promise<string[]>; // the paths of all resources that a request creates

export class SeedClient {
  readonly gateway: string;
  readonly token: string;
  readonly #madeBy: MadeBy;

  constructor(gateway: string, token: string, madeBy: MadeBy) {
    this.gateway = gateway;
    this.token = token;
    this.#madeBy = madeBy;
  }

  async call(method: string, path: string, body?: Json): Promise<SeedAnswer> {
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

  // Every change can be followed by the id of its request; the server responds when its state changes.
  async untilDone({ headers }: SeedAnswer): Promise<string | undefined> {
    const id = headers.get('x-request-id');
    for (;;) {
      const { status, body } = await this.call('GET', `${core}/requests/${id}/status`);
      if (status === 404) return undefined; // there was nothing to wait for
      const metadata = body.metadata as { status?: string; message?: string } | undefined;
      if (metadata?.status === 'DONE') return undefined;
      if (metadata?.status === 'FAILED') return metadata.message ?? 'The request failed.';
    }
  }

  // Resources that a call creates implicitly: volumes with a server, a LAN that a NIC names and that does not exist.
  async madeBesides({ headers, body }: SeedAnswer): Promise<string[]> {
    const paths = await this.#madeBy(headers.get('x-request-id') ?? '');
    return paths.filter((path) => !path.split('/').includes(String(body.id))).map((path) => `${core}/${path}`);
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
