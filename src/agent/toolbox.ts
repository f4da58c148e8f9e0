// All tools by name, and finding one: by the words of a question, or the name that was nearly meant.
import type { Values } from '../base/json.ts';
import type { Tool } from './tool.ts';

export class Toolbox {
  readonly tools: readonly Tool[];
  readonly #byName: ReadonlyMap<string, Tool>;

  constructor(tools: readonly Tool[]) {
    this.tools = tools;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    if (this.#byName.size < tools.length) throw new Error(`two tools are called ${doubled(tools)}`);
  }

  find(name: string): Tool | undefined {
    return this.#byName.get(name);
  }

  // Tools that have the words of the query in their name or description, best first. Without words, all of a group.
  search(query: string, group: string | undefined, limit: number): Tool[] {
    const words = wordsOf(query);
    const scored = this.tools
      .filter((tool) => group === undefined || tool.group === group)
      .map((tool) => ({ tool, score: words.length === 0 ? 1 : scoreOf(tool, words) }))
      .filter(({ score }) => score > 0);
    return scored
      .toSorted((a, b) => b.score - a.score || order(a.tool, b.tool))
      .slice(0, limit)
      .map(({ tool }) => tool);
  }

  suggestions(name: string): string[] {
    const typed = this.tools.filter((tool) => commonStart(tool.name, name) >= 0.8 * Math.max(name.length, 5));
    const found = [...typed, ...this.search(name.replaceAll('_', ' '), undefined, 3)].map((tool) => tool.name);
    return [...new Set(found)].slice(0, 3);
  }
}

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

const doubled = (tools: readonly Tool[]): string =>
  tools.find(({ name }, at) => tools.findIndex((one) => one.name === name) !== at)?.name ?? '';

// Of equal ones, those that list come first: an id has to be found before one thing can be shown.
const order = (a: Tool, b: Tool): number =>
  Number(b.name.startsWith('list_')) - Number(a.name.startsWith('list_')) || (a.name < b.name ? -1 : 1);

const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1)
    .map(singular);
const singular = (word: string): string => (word.length > 3 ? word.replace(/s$/, '') : word);

function scoreOf({ name, group, description }: Tool, words: readonly string[]): number {
  const inName = name.split('_').map(singular);
  const text = description.toLowerCase();
  let score = 0;
  for (const word of words) {
    if (inName.includes(word)) score += 5;
    else if (name.includes(word)) score += 3;
    else if (group.includes(word)) score += 2;
    else if (text.includes(word)) score += 1;
  }
  return score > 0 ? score - (inName.length - 1) / 100 : 0;
}

export const shortOf = ({ name, group, description }: Tool): Values => ({ name, group, description });
