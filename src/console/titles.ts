// Titles of resource types. The web app uses this file, too, so it imports nothing of the region.
interface Titled {
  readonly name: string;
  readonly shown: { readonly title?: string | readonly [one: string, several: string] };
}

export type Titles = Readonly<Record<string, readonly [one: string, several: string]>>; // by name

// Titles of all declared resources, and of the words that products add.
export function titlesIn(declared: readonly Titled[], words: readonly Readonly<Record<string, string>>[]): Titles {
  const titles = declared.map(({ name, shown: { title = name } }) => [name, pairOf(title)] as const);
  const more = words.flatMap((one) => Object.entries(one)).map(([name, title]) => [name, pairOf(title)] as const);
  return Object.fromEntries([...more, ...titles]);
}

const pairOf = (title: string | readonly [string, string]): readonly [string, string] =>
  typeof title === 'string' ? [capital(title), severalOf(capital(title))] : title;

const severalOf = (one: string): string => (/[^aeiou]y$/.test(one) ? `${one.slice(0, -1)}ies` : `${one}s`);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const titleOf = ({ name, shown: { title = name } }: Titled): string => pairOf(title)[0];

export const titlesOf = (titles: Titles, name: string): readonly [one: string, several: string] =>
  Object.hasOwn(titles, name) ? (titles[name] as readonly [string, string]) : pairOf(name);

// The title of a resource type as requests and the activity log spell it: `natgateway`, `flow-log`, `volumes`.
export function kindTitle(titles: Titles, kind: string): string {
  const name = kind.toLowerCase().replaceAll('-', '');
  const known = [name, name.replace(/s$/, '')].find((word) => Object.hasOwn(titles, word));
  return known === undefined
    ? capital(kind.replace(/([^s])s$/, '$1').replaceAll('-', ' '))
    : titlesOf(titles, known)[0];
}

// The title for the last part of an operation's path.
export const tailTitle = (titles: Titles, tail: string): string =>
  Object.hasOwn(titles, tail) ? titlesOf(titles, tail)[0] : capital(tail.replaceAll('-', ' '));
