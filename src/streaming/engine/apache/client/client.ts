// A client of all brokers of a cluster, with one connection to each, opened when needed. Brokers may be frozen, so
// every wait has a limit.
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../../../../base/fault.ts';
import type { Api } from '../../../broker/wire/api.ts';
import { metadata } from '../../../broker/wire/messages/cluster.ts';
import { type BrokerAddress, BrokerConnection, type ClientTls } from './connection.ts';

type Metadata = ReturnType<ReturnType<typeof metadata.at>['response']['read']>;

const answerMs = 5000;
const slowMs = 1000; // then another broker is asked too
const silenceMs = 2000; // after none has answered, calls fail at once

export class KafkaClient {
  readonly #addresses: readonly BrokerAddress[];
  readonly #tls: ClientTls;
  readonly #connections = new Map<string, Promise<BrokerConnection>>();
  #first = 0; // the index of the broker that answered last
  #silence: { until: number; fault: Fault } | undefined;

  constructor(addresses: readonly BrokerAddress[], tls: ClientTls) {
    this.#addresses = addresses;
    this.#tls = tls;
  }

  // Without names it returns all topics.
  metadata(names?: string[]): Promise<Metadata> {
    const topics = names?.map((name) => ({ topicId: '0'.repeat(32), name })) ?? null;
    return this.askAny(metadata, { topics, allowAutoTopicCreation: false });
  }

  // Returns whether every broker answers and sees all others.
  async isComplete(): Promise<boolean> {
    const counts = this.#addresses.map((address) =>
      this.ask(address, metadata, { topics: [], allowAutoTopicCreation: false }).then(
        ({ brokers }) => brokers.length,
        () => 0,
      ),
    );
    return (await Promise.all(counts)).every((count) => count === this.#addresses.length);
  }

  // Returns the first answer. A broker that is slow or silent does not delay it by more than `slowMs`.
  async askAny<Request, Answer>(
    api: Api<Request, never, Answer>,
    body: Partial<Request>,
    limitMs = answerMs,
  ): Promise<Answer> {
    if (this.#silence && performance.now() < this.#silence.until) throw this.#silence.fault;
    const attempts: Promise<Answer>[] = [];
    for (let count = 0; count < this.#addresses.length; count++) {
      const index = (this.#first + count) % this.#addresses.length;
      attempts.push(this.#askAt(index, api, body, limitMs));
      const answer = await answerWithin(Promise.any(attempts), slowMs);
      if (answer) return answer.value;
    }
    const answer = await Promise.any(attempts).catch(({ errors }: AggregateError) => {
      const fault = errors.find((one) => !isSilence(one)) ?? errors.at(-1);
      if (isSilence(fault)) this.#silence = { until: performance.now() + silenceMs, fault };
      throw fault;
    });
    return answer;
  }

  async #askAt<Request, Answer>(
    index: number,
    api: Api<Request, never, Answer>,
    body: Partial<Request>,
    limitMs: number,
  ): Promise<Answer> {
    const answer = await this.ask(this.#addresses[index] as BrokerAddress, api, body, limitMs);
    this.#first = index;
    this.#silence = undefined;
    return answer;
  }

  async ask<Request, Answer>(
    address: BrokerAddress,
    api: Api<Request, never, Answer>,
    body: Partial<Request>,
    limitMs = answerMs,
  ): Promise<Answer> {
    return (await this.#connection(address)).ask(api, body, limitMs);
  }

  async #connection(address: BrokerAddress): Promise<BrokerConnection> {
    const name = `${address.host}:${address.port}`;
    const known = await this.#connections.get(name)?.catch(() => undefined);
    if (known?.isOpen) return known;
    const opening = BrokerConnection.open(address, this.#tls);
    this.#connections.set(name, opening);
    opening.catch(() => this.#connections.delete(name));
    return opening;
  }

  async close(): Promise<void> {
    for (const connection of this.#connections.values()) await connection.then((one) => one.close()).catch(() => {});
    this.#connections.clear();
  }
}

const isSilence = (error: unknown): error is Fault => error instanceof Fault && error.kind === 'unavailable';

// Undefined: it failed, or there is no answer yet.
async function answerWithin<T>(answer: Promise<T>, limitMs: number): Promise<{ value: T } | undefined> {
  const timer = new AbortController();
  try {
    const late = wait(limitMs, undefined, { signal: timer.signal }).catch(() => undefined);
    return await Promise.race([answer.then((value) => ({ value })), late]);
  } catch {
    return undefined;
  } finally {
    timer.abort();
  }
}
