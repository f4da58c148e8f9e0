// A client of all brokers of a cluster, with one connection to each, opened when needed.
import { Fault } from '../../../../base/fault.ts';
import type { Api } from '../../../broker/wire/api.ts';
import { metadata } from '../../../broker/wire/messages/cluster.ts';
import { type BrokerAddress, BrokerConnection, type ClientTls } from './connection.ts';

type Metadata = ReturnType<ReturnType<typeof metadata.at>['response']['read']>;

export class KafkaClient {
  readonly #addresses: readonly BrokerAddress[];
  readonly #tls: ClientTls;
  readonly #connections = new Map<string, Promise<BrokerConnection>>();

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

  // Returns the answer of the first broker that responds.
  async askAny<Request, Answer>(api: Api<Request, never, Answer>, body: Partial<Request>): Promise<Answer> {
    let last: unknown;
    for (const address of this.#addresses) {
      try {
        return await this.ask(address, api, body);
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
        last = error;
      }
    }
    throw last;
  }

  async ask<Request, Answer>(
    address: BrokerAddress,
    api: Api<Request, never, Answer>,
    body: Partial<Request>,
  ): Promise<Answer> {
    return (await this.#connection(address)).ask(api, body);
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
