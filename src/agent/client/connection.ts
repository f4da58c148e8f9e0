// The address of the platform and the token. Both are configured, or requested from the region on a data folder. That
// region may restart on another port, so a failed connection looks for it again.
import { type Source, unreachable } from './failure.ts';
import type { Answer } from './read-only-client.ts';

export interface Access {
  apiUrl: string | undefined; // undefined: the hosts that clients have built in
  token: string | undefined;
}

export interface ConnectionOptions {
  source: Source;
  find(): Access | Promise<Access>; // throws a Failure if no region runs
}

export interface Call {
  url: URL;
  answer: Promise<Answer>;
}

export class Connection {
  readonly source: Source;
  readonly #find: ConnectionOptions['find'];
  #access: Promise<Access> | undefined;

  constructor({ source, find }: ConnectionOptions) {
    this.source = source;
    this.#find = find;
  }

  async ask(call: (access: Access) => Call): Promise<Answer> {
    const access = this.#known();
    const first = call(await access);
    const answer = await first.answer.catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.status !== 401) return answer;
    if (this.source === 'data folder') {
      // Of several calls that fail together, only the first looks for the region.
      if (this.#access === access) this.#access = undefined;
      const again = call(await this.#known());
      return again.answer.catch((error: Error) => {
        throw unreachable(again.url, error, this.source);
      });
    }
    if (answer instanceof Error) throw unreachable(first.url, answer, this.source);
    return answer;
  }

  #known(): Promise<Access> {
    if (this.#access) return this.#access;
    const found = Promise.resolve(this.#find());
    this.#access = found;
    // A failed lookup is repeated with the next call.
    found.catch(() => {
      if (this.#access === found) this.#access = undefined;
    });
    return found;
  }
}
