// What a seed has made or changed so far. If the rest of it is refused, that is taken back, the last first. A save
// point would bring back more than that: what others have made meanwhile would be lost.
import { Fault } from '../../base/fault.ts';

interface Step {
  what: string; // as the user knows it
  back: () => Promise<string | undefined>; // the reason why it could not be taken back
}

export class Undo {
  readonly #steps: Step[] = [];

  add(what: string, back: Step['back']): void {
    this.#steps.push({ what, back });
  }

  // The error, with what became of that which was there when it happened.
  async after(error: unknown): Promise<unknown> {
    if (this.#steps.length === 0) return error;
    const left = await this.#takeBack();
    if (!(error instanceof Fault)) return error;
    const before = error.problems.filter(({ message }) => message !== allBack);
    const told = left.length === 0 && before.every((one) => !isLeft(one.message)) ? [allBack] : left;
    return new Fault(error.kind, error.message, { problems: [...before, ...told.map((message) => ({ message }))] });
  }

  // What is refused is tried again after all the others: it may have been in use by one of them, or be gone with it.
  async #takeBack(): Promise<string[]> {
    const refused: Step[] = [];
    for (const step of this.#steps.toReversed()) if ((await reasonOf(step)) !== undefined) refused.push(step);
    const left: string[] = [];
    for (const step of refused) {
      const reason = await reasonOf(step);
      if (reason !== undefined) left.push(`${leftOver}${step.what}: ${reason}`);
    }
    return left;
  }
}

const allBack = 'What the seed had made before that was removed again.';
const leftOver = 'This was made by the seed and could not be removed again: ';
const isLeft = (message: string): boolean => message.startsWith(leftOver);

const reasonOf = ({ back }: Step): Promise<string | undefined> => back().catch((error: Error) => error.message);

export async function undoneIfItFails<T>(work: (undo: Undo) => Promise<T>): Promise<T> {
  const undo = new Undo();
  try {
    return await work(undo);
  } catch (error) {
    throw await undo.after(error);
  }
}
