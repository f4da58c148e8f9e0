// Follows the end of some partitions of a topic.
import type { PartitionMessage, ReadTail } from './inspection.ts';

const mostBehind = 1000; // a tail that is further behind the end of a partition skips messages
const keptBehind = 100;

export interface NewMessages {
  messages: readonly PartitionMessage[]; // in log order
  missed: number; // because they arrive faster than they can be shown
  skipped: number; // unreadable batches
}

export class LiveTail {
  readonly #path: string;
  readonly #read: ReadTail;
  readonly #next: Map<number, number>; // the next offset of each partition

  constructor(path: string, next: ReadonlyMap<number, number>, read: ReadTail) {
    this.#path = path;
    this.#next = new Map(next);
    this.#read = read;
  }

  async poll(ending: AbortSignal): Promise<NewMessages> {
    const requested = [...this.#next];
    const { pages } = await this.#read(this.#path, requested, ending);
    const found: PartitionMessage[] = [];
    let missed = 0;
    let skipped = 0;
    for (const [at, [partition]] of requested.entries()) {
      const page = pages[at];
      if (!page) continue;
      const behind = page.endOffset - page.nextOffset;
      const jump = behind > mostBehind ? behind - keptBehind : 0;
      missed += jump;
      skipped += page.skipped;
      this.#next.set(partition, page.nextOffset + jump);
      found.push(...page.messages.map((one) => ({ ...one, partition })));
    }
    found.sort((a, b) => a.timeMs - b.timeMs || a.partition - b.partition || a.offset - b.offset);
    return { messages: found, missed, skipped };
  }
}
