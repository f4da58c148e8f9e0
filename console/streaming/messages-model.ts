// The messages shown: of one partition from a position on, or of all partitions together.
import { batch, signal } from '@preact/signals';
import type { Form } from './bytes.ts';
import { type Message, type MessagePage, type MessagesQuestion, readMessages } from './inspection.ts';

export interface PartitionMessage extends Message {
  partition: number;
}

export type Place = 'newest' | 'oldest' | 'offset' | 'time';

const mostTogether = 16; // partitions
const pageSize = 50;
const all = 'all';

export type ReadMessages = (path: string, question: MessagesQuestion, ending: AbortSignal) => Promise<MessagePage>;

export class MessagesModel {
  readonly partition = signal(all);
  readonly place = signal<Place>('newest');
  readonly offset = signal('0');
  readonly time = signal(''); // in the format of `datetime-local`
  readonly form = signal<Form>('auto');
  readonly messages = signal<readonly PartitionMessage[] | undefined>(undefined);
  readonly skipped = signal(0);
  readonly span = signal<{ first: number; next: number; end: number; start: number } | undefined>(undefined);
  readonly failure = signal<unknown>(undefined);
  readonly isBusy = signal(false);
  readonly path: string;
  readonly partitions: number;
  readonly #read: ReadMessages;
  readonly #signal: AbortSignal;
  #turn = 0;

  constructor(path: string, partitions: number, ending: AbortSignal, read: ReadMessages = readMessages) {
    this.path = path;
    this.partitions = partitions;
    this.partition.value = partitions > 1 && partitions <= mostTogether ? all : '0';
    this.#read = read;
    this.#signal = ending;
  }

  get options(): [string, string][] {
    const each = Array.from({ length: this.partitions }, (_, at): [string, string] => [String(at), `Partition ${at}`]);
    return this.partitions > 1 && this.partitions <= mostTogether ? [[all, 'All partitions'], ...each] : each;
  }

  load(): Promise<void> {
    return this.#load(this.#at());
  }

  // The previous or next page, for a single partition only.
  async turn(direction: -1 | 1): Promise<void> {
    const span = this.span.value;
    if (!span || this.partition.value === all) return;
    await this.#load(String(direction > 0 ? span.next : Math.max(span.start, span.first - pageSize)));
  }

  async whole({ partition, offset }: PartitionMessage): Promise<Message | undefined> {
    const page = await this.#read(this.path, { partition, at: String(offset), limit: 1 }, this.#signal);
    return page.messages.find((one) => one.offset === offset);
  }

  #at(): string {
    const place = this.place.value;
    if (place === 'offset') return /^\d+$/.test(this.offset.value) ? this.offset.value : '0';
    if (place === 'time') return this.time.value === '' ? 'oldest' : new Date(this.time.value).toISOString();
    return place;
  }

  async #load(at: string): Promise<void> {
    const turn = ++this.#turn;
    const partitions =
      this.partition.value === all
        ? Array.from({ length: this.partitions }, (_, index) => index)
        : [Number(this.partition.value)];
    this.isBusy.value = true;
    try {
      const pages = await Promise.all(
        partitions.map((partition) => this.#read(this.path, { partition, at, limit: pageSize }, this.#signal)),
      );
      if (turn === this.#turn) batch(() => this.#show(partitions, pages, at === 'newest'));
    } catch (error) {
      if (turn === this.#turn && !this.#signal.aborted) this.failure.value = error;
    }
    if (turn === this.#turn) this.isBusy.value = false;
  }

  // Newest first if the newest were requested, otherwise in log order.
  #show(partitions: readonly number[], pages: readonly MessagePage[], isNewest: boolean): void {
    const found = pages.flatMap(({ messages }, at) =>
      messages.map((one): PartitionMessage => ({ ...one, partition: partitions[at] ?? 0 })),
    );
    const ordered = found.sort((a, b) => a.timeMs - b.timeMs || a.partition - b.partition || a.offset - b.offset);
    const kept = isNewest ? ordered.slice(-pageSize).reverse() : ordered.slice(0, pageSize);
    this.messages.value = kept;
    this.skipped.value = pages.reduce((sum, { skipped }) => sum + skipped, 0);
    this.failure.value = undefined;
    const [page] = pages;
    const first = page?.messages[0]?.offset ?? page?.nextOffset ?? 0;
    this.span.value =
      pages.length === 1 && page
        ? { first, next: page.nextOffset, end: page.endOffset, start: page.startOffset }
        : undefined;
  }
}
