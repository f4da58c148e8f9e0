// Parses commands: `stop web-1`, `web-1 stop`, `create snapshot root`. A command has a verb and a resource name.
import type { ItemAction } from '../resources/actions/item-action.ts';

export interface Command {
  verb: readonly string[];
  name: string; // of the resource, as typed
}

const minLetters = 2;

// Other words for the titles of actions.
const synonyms: Readonly<Record<string, readonly string[]>> = {
  create: ['new'],
  make: ['create', 'new'],
  add: ['create', 'new', 'attach'],
  new: ['create'],
  remove: ['delete', 'detach'],
  destroy: ['delete'],
  change: ['edit'],
  rename: ['edit'],
  restart: ['reboot'],
  shutdown: ['stop'],
};

export const withSynonyms = (word: string): readonly string[] => [word, ...(synonyms[word] ?? [])];

// All ways to split a text into a verb and a name.
export function commandsIn(text: string): Command[] {
  const words = text.trim().split(/\s+/);
  const ways: [verb: string[], name: string[]][] = [
    [words.slice(0, 1), words.slice(1)],
    [words.slice(0, 2), words.slice(2)],
    [words.slice(-1), words.slice(0, -1)],
  ];
  return ways
    .map(([verb, name]) => ({ verb: verb.map((word) => word.toLowerCase()), name: name.join(' ') }))
    .filter(({ verb, name }) => name.length >= minLetters && verb.every((word) => word.length >= minLetters));
}

// Each word of the verb must be a prefix of a word of the title.
export function matchesVerb({ title }: Pick<ItemAction, 'title'>, verb: readonly string[]): boolean {
  const words = title.toLowerCase().split(/\s+/);
  return verb.every((word) => withSynonyms(word).some((one) => words.some((ofTitle) => ofTitle.startsWith(one))));
}
