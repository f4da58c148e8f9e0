// Where the platform is, and the token that opens it. Both are given once, or found by asking the region of a data
// folder: that one may be started again on another port, so it is looked for anew when it is not where it was.
import { type Source, unreachable } from './failure.ts';
import type { Answer } from './read-only-client.ts';

export interface Access {
  apiUrl: string | undefined; // undefined: the hosts that clients have built in
  token: string | undefined;
}

export interface ConnectionOptions {
  source: Source;
  find(): Access | Promise<Access>; // throws a Failure where there is none
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
      // Of several calls that fail together, the first looks for it.
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
    // What was not found is looked for again with the next call.
    found.catch(() => {
      if (this.#access === found) this.#access = undefined;
    });
    return found;
  }
}
