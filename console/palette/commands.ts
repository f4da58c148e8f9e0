// `stop web-1`, `web-1 stop`, `create snapshot root`: words that say what to do, and words that name a thing.
import type { ThingAction } from '../resources/actions/thing-action.ts';

export interface Command {
  verb: readonly string[];
  thing: string; // as it was written
}

const leastLetters = 2;

// What people say besides the title of the action.
const sames: Readonly<Record<string, readonly string[]>> = {
  create: ['new'],
  make: ['new', 'create'],
  add: ['new', 'create'],
  new: ['create'],
  remove: ['delete', 'detach'],
  destroy: ['delete'],
  change: ['edit'],
  rename: ['edit'],
  restart: ['reboot'],
  shutdown: ['stop'],
};

export const alsoMeant = (word: string): readonly string[] => [word, ...(sames[word] ?? [])];

// All ways to read a text as a command.
export function commandsIn(text: string): Command[] {
  const words = text.trim().split(/\s+/);
  const ways: [verb: string[], thing: string[]][] = [
    [words.slice(0, 1), words.slice(1)],
    [words.slice(0, 2), words.slice(2)],
    [words.slice(-1), words.slice(0, -1)],
  ];
  return ways
    .map(([verb, thing]) => ({ verb: verb.map((word) => word.toLowerCase()), thing: thing.join(' ') }))
    .filter(({ verb, thing }) => thing.length >= leastLetters && verb.every((word) => word.length >= leastLetters));
}

// Each word of the verb begins a word of the title.
export function isMeant({ title }: Pick<ThingAction, 'title'>, verb: readonly string[]): boolean {
  const words = title.toLowerCase().split(/\s+/);
  return verb.every((word) => alsoMeant(word).some((one) => words.some((ofTitle) => ofTitle.startsWith(one))));
}
