// The sequences of a model. Each remembers a prompt and the text that was generated after it. A free sequence keeps its
// tokens for a while, for the next call of the same contract with the same beginning. Another contract never gets it,
// because the duration of a call would reveal what others have asked.
import type { Sequence, Token } from './library.ts';

interface Slot {
  sequence: Sequence;
  contract: number | undefined; // whose tokens are in it
  usedAt: number;
}

const worthKeeping = 32; // tokens; for a shorter prefix, no other prompt is dropped

export class Sequences {
  readonly #idle: Slot[] = [];
  readonly #busy = new Set<Slot>();
  readonly #waiting: (() => void)[] = [];
  readonly #forgetMs: number;

  constructor(sequences: Sequence[], forgetMs: number) {
    for (const sequence of sequences) this.#idle.push({ sequence, contract: undefined, usedAt: 0 });
    this.#forgetMs = forgetMs;
    setInterval(() => this.#forget(), Math.max(1000, forgetMs / 4)).unref();
  }

  get busy(): number {
    return this.#busy.size;
  }

  // Runs the work with a sequence until it is done. `known` is how many tokens of the prompt the sequence already has.
  async use<T>(contract: number, prompt: Token[], work: (sequence: Sequence, known: number) => Promise<T>): Promise<T> {
    while (this.#idle.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const slot = this.#take(contract, prompt);
    this.#busy.add(slot);
    try {
      return await work(slot.sequence, await prepare(slot, contract, prompt));
    } finally {
      slot.usedAt = performance.now();
      this.#busy.delete(slot);
      this.#idle.push(slot);
      this.#waiting.shift()?.();
    }
  }

  // The sequence that knows most of the prompt; else an empty one; else the least recently used one.
  #take(contract: number, prompt: Token[]): Slot {
    const known = (slot: Slot): number =>
      slot.contract === contract ? commonPrefix(slot.sequence.contextTokens, prompt) : 0;
    const best = this.#idle.reduce((one, other) => (known(other) > known(one) ? other : one));
    const free = this.#idle.find((slot) => slot.sequence.contextTokens.length === 0);
    const oldest = this.#idle.reduce((one, other) => (other.usedAt < one.usedAt ? other : one));
    const chosen = known(best) >= worthKeeping ? best : (free ?? oldest);
    this.#idle.splice(this.#idle.indexOf(chosen), 1);
    return chosen;
  }

  #forget(): void {
    for (const slot of this.#idle) {
      if (slot.contract === undefined || performance.now() - slot.usedAt < this.#forgetMs) continue;
      slot.contract = undefined;
      void slot.sequence.clearHistory();
    }
  }
}

async function prepare(slot: Slot, contract: number, prompt: Token[]): Promise<number> {
  const { sequence } = slot;
  const isOwn = slot.contract === contract;
  slot.contract = contract;
  // The last token is evaluated in any case, because the call needs its successor.
  const known = isOwn ? Math.min(commonPrefix(sequence.contextTokens, prompt), prompt.length - 1) : 0;
  const end = sequence.contextTokens.length;
  if (known === 0) await sequence.clearHistory();
  else if (known < end) await sequence.eraseContextTokenRanges([{ start: known, end }]);
  return Math.min(known, sequence.contextTokens.length);
}

function commonPrefix(one: readonly Token[], other: readonly Token[]): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}
