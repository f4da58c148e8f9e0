// Which calls the session's user may not make, and why. The region answers with the rule that it applies to the call
// (POST /console/rights). Calls that one rendering asks about are sent together.
import { type Signal, signal } from '@preact/signals';
import { type CheckedCall, maxCalls, type RefusedCall } from '../../src/console/checked-call.ts';
import { wordsOf } from '../resources/words.ts';

export type { CheckedCall, RefusedCall };

const maxKnown = 2000;

interface Known {
  reason: Signal<string | undefined>;
  round: number;
}

export class Rights {
  readonly #ask: (calls: readonly CheckedCall[]) => Promise<readonly (RefusedCall | null)[]>;
  readonly #round = signal(0);
  readonly #known = new Map<string, Known>();
  #waiting: CheckedCall[] = [];
  #answered: Promise<unknown> = Promise.resolve();

  constructor(ask: (calls: readonly CheckedCall[]) => Promise<readonly (RefusedCall | null)[]>) {
    this.#ask = ask;
  }

  // Undefined while the answer is unknown: the region decides about the call itself in any case.
  reason(checked: CheckedCall): string | undefined {
    const round = this.#round.value;
    const key = keyOf(checked);
    const known = this.#known.get(key) ?? { reason: signal<string | undefined>(undefined), round: -1 };
    if (known.round !== round) {
      if (this.#known.size >= maxKnown) this.#known.clear();
      known.round = round;
      this.#known.set(key, known);
      if (this.#waiting.length === 0) this.#answered = Promise.resolve().then(() => this.#send());
      this.#waiting.push(checked);
    }
    return known.reason.value;
  }

  // Reads something with all reasons that it depends on.
  async with<T>(read: () => T): Promise<T> {
    read();
    await this.#answered;
    return read();
  }

  // The rights have changed. Reasons stay until their new answers.
  refresh(): void {
    this.#round.value += 1;
  }

  async #send(): Promise<void> {
    const calls = this.#waiting;
    this.#waiting = [];
    const parts = Array.from({ length: Math.ceil(calls.length / maxCalls) }, (_, at) =>
      calls.slice(at * maxCalls, (at + 1) * maxCalls),
    );
    await Promise.all(
      parts.map(async (part) => {
        const refused = await this.#ask(part).catch(() => []);
        for (const [at, checked] of part.entries()) {
          const known = this.#known.get(keyOf(checked));
          if (known && at < refused.length) known.reason.value = reasonOf(refused[at]);
        }
      }),
    );
  }
}

const keyOf = ({ method, path }: CheckedCall): string => `${method} ${path}`;

// For a missing resource there is no reason: its page shows that it does not exist.
function reasonOf(refused: RefusedCall | null | undefined): string | undefined {
  if (refused?.kind !== 'forbidden') return undefined;
  const { privilege, message } = refused;
  if (privilege === undefined) return message;
  return `Your user lacks the privilege “${wordsOf(privilege)}” (${privilege}).`;
}
