// Records what a seed has created or changed so far. If the rest of it is refused, that is undone, last first. A save
// point would restore more than that: changes of others in the meantime would be lost.
import { Fault } from '../base/fault.ts';

interface Step {
  what: string; // the name that the user knows
  back: () => Promise<string | undefined>; // the reason why it could not be undone
}

export class Undo {
  readonly #steps: Step[] = [];

  add(what: string, back: Step['back']): void {
    this.#steps.push({ what, back });
  }

  // The error, extended by the outcome of the undo.
  async after(error: unknown): Promise<unknown> {
    if (this.#steps.length === 0) return error;
    const left = await this.takeBack();
    if (!(error instanceof Fault)) return error;
    const before = error.problems.filter(({ message }) => message !== allBack);
    const messages =
      left.length === 0 && before.every((one) => !isLeft(one.message))
        ? [allBack]
        : left.map((one) => `${leftOver}${one}`);
    return new Fault(error.kind, error.message, { problems: [...before, ...messages.map((message) => ({ message }))] });
  }

  // Returns what could not be undone. A refused undo is tried again after all the others: another one may have used the
  // resource, or deleted it.
  async takeBack(): Promise<string[]> {
    const refused: Step[] = [];
    for (const step of this.#steps.toReversed()) if ((await reasonOf(step)) !== undefined) refused.push(step);
    const left: string[] = [];
    for (const step of refused) {
      const reason = await reasonOf(step);
      if (reason !== undefined) left.push(`${step.what}: ${reason}`);
    }
    return left;
  }
}

const allBack = 'Everything that the seed had created was deleted again.';
const leftOver = 'The seed created this and could not delete it again: ';
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
