// Answers that may be long. A long one is sent while it is rendered, so that neither its memory nor its processor time
// is needed at once. The last few are cached as sent, for clients that repeat a call while nothing has changed.
import type { Epoch } from '../../core/recent-cache.ts';
import { Canvas } from './sliced-rendering.ts';

const longFrom = 256 * 1024; // characters
const mostKept = 32 * 1024 * 1024; // characters of all together

export type Send = (text: string) => Promise<void>;

export type LongAnswer =
  | { text: string } // it was not long
  | { stream(send: Send): Promise<void> };

interface Kept {
  epoch: Epoch;
  pieces: readonly string[];
  size: number;
}

export class LongAnswers {
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  get(key: string, epoch: Epoch): LongAnswer | undefined {
    const found = this.#kept.size > 0 ? this.#kept.get(key) : undefined;
    if (!found) return undefined;
    if (found.epoch === epoch) return { stream: (send) => sendAll(found.pieces, send) };
    this.#drop(key, found);
    return undefined;
  }

  // `epoch`: from before the first read; absent: the answer is not cached.
  async draw(draw: (canvas: Canvas) => Promise<void>, key: string, epoch: Epoch | undefined): Promise<LongAnswer> {
    const began = Promise.withResolvers<'long'>();
    const taker = Promise.withResolvers<Send>();
    const pieces: string[] = [];
    let size = 0;
    let sent = 0;
    const canvas = new Canvas(async (drawn) => {
      const text = drawn.join('');
      drawn.length = 0;
      if (text === '') return;
      pieces.push(text);
      size += text.length;
      if (size < longFrom) return;
      began.resolve('long');
      const send = await taker.promise;
      while (sent < pieces.length) await send(pieces[sent++] as string);
      if (epoch === undefined || size > mostKept) sent -= pieces.splice(0, sent).length;
    });
    const drawing = draw(canvas).then(() => 'whole' as const);
    if ((await Promise.race([drawing, began.promise])) === 'whole')
      return { text: [...pieces, ...canvas.pieces].join('') };
    return {
      stream: async (send) => {
        taker.resolve(send);
        await drawing;
        const last = canvas.pieces.join('');
        await send(last);
        if (epoch !== undefined) this.#keep(key, { epoch, pieces: [...pieces, last], size: size + last.length });
      },
    };
  }

  #keep(key: string, kept: Kept): void {
    if (kept.size > mostKept) return;
    const before = this.#kept.get(key);
    if (before) this.#drop(key, before);
    this.#kept.set(key, kept);
    this.#size += kept.size;
    for (const [oldest, found] of this.#kept) {
      if (this.#size <= mostKept) break;
      this.#drop(oldest, found);
    }
  }

  #drop(key: string, { size }: Kept): void {
    this.#kept.delete(key);
    this.#size -= size;
  }
}

async function sendAll(pieces: readonly string[], send: Send): Promise<void> {
  for (const piece of pieces) {
    await send(piece);
    await new Promise(setImmediate); // other calls are served in between
  }
}
