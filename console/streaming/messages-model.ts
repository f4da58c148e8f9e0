// The messages shown: of one partition from a position on, or of all partitions together.
import { batch, signal } from '@preact/signals';
import { decoded, type Form } from './bytes.ts';
import {
  type Message,
  type MessagePage,
  type MessagesQuestion,
  type PartitionMessage,
  type ReadTail,
  readMessages,
  readTail,
} from './inspection.ts';
import { LiveTail, type NewMessages } from './live-tail.ts';

export type Place = 'newest' | 'oldest' | 'offset' | 'time';

const mostTogether = 16; // partitions
const pageSize = 50;
const mostKept = 500; // while live
const followMs = 1000;
const all = 'all';

export type ReadMessages = (path: string, question: MessagesQuestion, ending: AbortSignal) => Promise<MessagePage>;

export class MessagesModel {
  readonly partition = signal(all);
  readonly place = signal<Place>('newest');
  readonly offset = signal('0');
  readonly time = signal(''); // in the format of `datetime-local`
  readonly form = signal<Form>('auto');
  readonly text = signal(''); // in the key, the value or a header
  readonly messages = signal<readonly PartitionMessage[] | undefined>(undefined);
  readonly skipped = signal(0);
  readonly span = signal<{ first: number; next: number; end: number; start: number } | undefined>(undefined);
  readonly failure = signal<unknown>(undefined);
  readonly isBusy = signal(false);
  readonly isLive = signal(false);
  readonly missed = signal(0); // while live, because they arrived too fast
  readonly path: string;
  readonly partitions: number;
  readonly #read: ReadMessages;
  readonly #readTail: ReadTail;
  readonly #signal: AbortSignal;
  #turn = 0;
  #next: ReadonlyMap<number, number> = new Map(); // the offset after the shown messages, by partition

  constructor(
    path: string,
    partitions: number,
    ending: AbortSignal,
    read: ReadMessages = readMessages,
    tail: ReadTail = readTail,
  ) {
    this.path = path;
    this.partitions = partitions;
    this.partition.value = partitions > 1 && partitions <= mostTogether ? all : '0';
    this.#read = read;
    this.#readTail = tail;
    this.#signal = ending;
  }

  // The messages that contain the text.
  get found(): readonly PartitionMessage[] | undefined {
    const text = this.text.value.trim().toLowerCase();
    return this.messages.value?.filter((one) => text === '' || wordsOf(one).includes(text));
  }

  get options(): [string, string][] {
    const each = Array.from({ length: this.partitions }, (_, at): [string, string] => [String(at), `Partition ${at}`]);
    return this.partitions > 1 && this.partitions <= mostTogether ? [[all, 'All partitions'], ...each] : each;
  }

  load(): Promise<void> {
    this.pause();
    return this.#load(this.#at());
  }

  // Adds new messages at the top until `pause`, or until a read fails. It reads nothing while the page is hidden.
  async follow(isHidden: () => boolean, roundMs = followMs): Promise<void> {
    this.place.value = 'newest';
    await this.load();
    if (this.failure.value !== undefined) return;
    const turn = this.#turn;
    const isCurrent = (): boolean => this.isLive.value && turn === this.#turn && !this.#signal.aborted;
    batch(() => {
      this.isLive.value = true;
      this.missed.value = 0;
      this.span.value = undefined;
    });
    const tail = new LiveTail(this.path, this.#next, this.#readTail);
    while (isCurrent()) {
      await new Promise((resolve) => setTimeout(resolve, roundMs));
      if (!isCurrent() || isHidden()) continue;
      try {
        const found = await tail.poll(this.#signal);
        if (isCurrent()) this.#add(found);
      } catch (error) {
        if (!isCurrent()) return;
        this.failure.value = error;
        this.isLive.value = false;
      }
    }
  }

  pause(): void {
    this.isLive.value = false;
  }

  #add({ messages, missed, skipped }: NewMessages): void {
    batch(() => {
      if (messages.length > 0)
        this.messages.value = [...messages.toReversed(), ...(this.messages.value ?? [])].slice(0, mostKept);
      this.missed.value += missed;
      this.skipped.value += skipped;
    });
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
    this.#next = new Map(pages.map(({ nextOffset }, at) => [partitions[at] ?? 0, nextOffset]));
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

const wordsOf = ({ key, value, headers }: PartitionMessage): string =>
  [decoded(key), decoded(value), ...headers.map((one) => `${one.key} ${decoded(one.value)}`)].join('\n').toLowerCase();
