// Records what a seed has created or changed so far. If the rest of it is refused, that is undone. A save point would
// restore more than that: changes of others in the meantime would be lost.
import { Fault } from '../base/fault.ts';
import { CallSlots } from './call-slots.ts';

interface Step {
  what: string; // the name that the user knows
  back: () => Promise<string | undefined>; // the reason why it could not be undone
}

const deletedAtOnce = 16;

export class Undo {
  readonly #changes: Step[] = [];
  readonly #created = new Map<string, Step>(); // by path

  add(what: string, back: Step['back']): void {
    this.#changes.push({ what, back });
  }

  // `remove` also deletes everything below the path.
  addCreated(path: string, what: string, remove: Step['back']): void {
    this.#created.set(path, { what, back: remove });
  }

  // The error, extended by the outcome of the undo.
  async after(error: unknown): Promise<unknown> {
    if (this.#changes.length + this.#created.size === 0) return error;
    const left = await this.takeBack();
    if (!(error instanceof Fault)) return error;
    const before = error.problems.filter(({ message }) => message !== allBack);
    const messages =
      left.length === 0 && before.every((one) => !isLeft(one.message))
        ? [allBack]
        : left.map((one) => `${leftOver}${one}`);
    return new Fault(error.kind, error.message, { problems: [...before, ...messages.map((message) => ({ message }))] });
  }

  // Returns what could not be undone. Changes are undone last first, and resources deleted in parallel.
  async takeBack(): Promise<string[]> {
    const outermost = [...this.#created].filter(([path]) => !isBelowAny(path, this.#created));
    const changed = await takenBack(this.#changes.toReversed(), 1);
    const steps = outermost.map(([, step]) => step).toReversed();
    return [...changed, ...(await takenBack(steps, deletedAtOnce))];
  }
}

// Those that are refused are tried again, as long as others succeed, which may have used them.
async function takenBack(steps: readonly Step[], atOnce: number): Promise<string[]> {
  const slots = new CallSlots(atOnce);
  const reasons = await Promise.all(steps.map((step) => slots.run(() => reasonOf(step))));
  const refused = steps.filter((_, at) => reasons[at] !== undefined);
  if (refused.length > 0 && refused.length < steps.length) return takenBack(refused, atOnce);
  return refused.map(({ what }, at) => `${what}: ${reasons[at]}`);
}

export function isBelowAny(path: string, paths: { has(path: string): boolean }): boolean {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (paths.has(path.slice(0, end))) return true;
  return false;
}

const allBack = 'Everything that was created before has been deleted again.';
const leftOver = 'This was created before and could not be deleted again: ';
const isLeft = (message: string): boolean => message.startsWith(leftOver);

// The resources that an undo could not delete, from the error that it has extended.
export const leftBehind = (error: unknown): string[] =>
  error instanceof Fault
    ? error.problems.flatMap(({ message }) => (isLeft(message) ? [message.slice(leftOver.length)] : []))
    : [];

const reasonOf = ({ back }: Step): Promise<string | undefined> => back().catch((error: Error) => error.message);

export async function undoneIfItFails<T>(work: (undo: Undo) => Promise<T>): Promise<T> {
  const undo = new Undo();
  try {
    return await work(undo);
  } catch (error) {
    throw await undo.after(error);
  }
}
