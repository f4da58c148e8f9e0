// The region's own API for seeds, as its owner: what a seed makes is checked, counted and audited as any client's call.
import { Fault } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';

export interface SeedAnswer {
  status: number;
  headers: Headers;
  body: Values;
}

const core = '/cloudapi/v6';

export type MadeBy = (request: string) => Promise<string[]>; // the paths of all that a request makes

export class SeedClient {
  readonly #gateway: string;
  readonly #token: string;
  readonly #madeBy: MadeBy;

  constructor(gateway: string, token: string, madeBy: MadeBy) {
    this.#gateway = gateway;
    this.#token = token;
    this.#madeBy = madeBy;
  }

  async call(method: string, path: string, body?: Json): Promise<SeedAnswer> {
    const answer = await fetch(this.#gateway + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
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
      if (status !== 200) throw new Fault('unavailable', `${path} can not be listed: ${messagesOf(body).join(' ')}`);
      const items = body.items as Values[];
      all.push(...items);
      if (items.length < pageSize) return all;
    }
  }

  // Every change can be followed by the id of its request, which the server answers when there is news.
  async untilDone({ headers }: SeedAnswer): Promise<string | undefined> {
    const id = headers.get('x-request-id');
    for (;;) {
      const { status, body } = await this.call('GET', `${core}/requests/${id}/status`);
      if (status === 404) return undefined; // nothing had to be waited for
      const metadata = body.metadata as { status?: string; message?: string } | undefined;
      if (metadata?.status === 'DONE') return undefined;
      if (metadata?.status === 'FAILED') return metadata.message ?? 'It failed.';
    }
  }

  // What a call makes besides the thing it is for: volumes with a server, a LAN that a NIC names and nobody has made.
  async madeBesides({ headers, body }: SeedAnswer): Promise<string[]> {
    const paths = await this.#madeBy(headers.get('x-request-id') ?? '');
    return paths.filter((path) => !path.split('/').includes(String(body.id))).map((path) => `${core}/${path}`);
  }

  // The reason, if it is still there.
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
