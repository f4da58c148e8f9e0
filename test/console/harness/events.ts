// An event stream of changes, like a tab of the console has it.
import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { limits } from '../../../src/testing/limits.ts';
import type { Headers, Visitor } from './calls.ts';
import { ownPage } from './calls.ts';

export type ReportedChange = [what: string, path: string];

export class Events {
  readonly changes: ReportedChange[] = [];
  reloads = 0; // number of `all` events
  isEnded = false;
  isComplete = false; // ended by the region, not by a closed connection
  #sent: ClientRequest;
  #changed = Promise.withResolvers<void>();

  private constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#sent = sent;
    let rest = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    });
    const end = (): void => {
      this.isEnded = true;
      this.isComplete = response.complete;
      this.#wake();
    };
    response.on('end', end).on('error', end).on('close', end);
  }

  // Resolves with the first event. From then on all changes are reported.
  static async open(visitor: Visitor, headers: Headers = {}): Promise<Events> {
    const { promise, resolve, reject } = Promise.withResolvers<Events>();
    const sent = request(new URL('/console/events', visitor.region.url), {
      headers: { cookie: visitor.cookie, ...ownPage, ...headers },
      agent: false,
    });
    sent.on('error', reject).on('response', (response) => {
      if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`));
      assert.match(String(response.headers['content-type']), /^text\/event-stream/);
      const events = new Events(sent, response);
      response.once('data', () => resolve(events));
    });
    sent.end();
    return promise;
  }

  async until(what: string, isMet: () => boolean): Promise<void> {
    const limit = AbortSignal.timeout(limits.request);
    limit.addEventListener('abort', () => this.#wake());
    while (!isMet()) {
      const received = `${JSON.stringify(this.changes).slice(-2000)} and ${this.reloads} reloads`;
      assert.ok(!this.isEnded, `the stream ended before ${what}: ${received}`);
      assert.ok(!limit.aborted, `${what} was not reported: ${received}`);
      await this.#changed.promise;
    }
  }

  has(what: string, path: string): Promise<void> {
    return this.until(`${what} ${path}`, () => this.changes.some(([one, of]) => one === what && of === path));
  }

  close(): void {
    this.#sent.destroy();
  }

  #take(block: string): void {
    const [, event = ''] = /^event: (.*)$/m.exec(block) ?? [];
    const [, data = ''] = /^data: (.*)$/m.exec(block) ?? [];
    if (event === 'changes') this.changes.push(...(JSON.parse(data) as ReportedChange[]));
    if (event === 'all') this.reloads++;
    this.#wake();
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}
