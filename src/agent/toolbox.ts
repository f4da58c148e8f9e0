// All tools by name, and a search: by the words of a question, or by a misspelled name.
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

  // Finds tools that have words of the query in their name or description, best first. A word that fewer tools have
  // counts more. Without words, all tools of a group match.
  search(query: string, group: string | undefined, limit: number): Tool[] {
    const words = [...new Set(wordsOf(query.slice(0, longestQuery)))].slice(0, maxWords);
    const weights = words.map((word) => {
      const having = this.tools.filter((tool) => fitOf(tool, word) > 0).length;
      return Math.log(1 + this.tools.length / Math.max(having, 1));
    });
    const scoreOf = (tool: Tool): number => {
      const score = words.reduce((sum, word, at) => sum + fitOf(tool, word) * (weights[at] ?? 0), 0);
      return score > 0 ? score - tool.name.split('_').length / 100 : 0; // of two equal matches, the shorter name wins
    };
    const scored = this.tools
      .filter((tool) => group === undefined || tool.group === group)
      .map((tool) => ({ tool, score: words.length === 0 ? 1 : scoreOf(tool) }))
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

// Of equal matches, tools that list come first: a list gives the id that the other tools need.
const order = (a: Tool, b: Tool): number =>
  Number(b.name.startsWith('list_')) - Number(a.name.startsWith('list_')) || (a.name < b.name ? -1 : 1);

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1 && !fillers.has(word))
    .map(singular);

// A query has a few words. A megabyte of text has a hundred thousand, and each would be searched in all tools.
const longestQuery = 500; // characters
const maxWords = 12;
// Words that questions contain but that say nothing about a tool.
const fillers = new Set(
  'an and are can did do does for in is it my not of on or our the their this to was were with'.split(' '),
);
const singular = (word: string): string => (word.length > 3 ? word.replace(/s$/, '') : word);

// How well a word matches a tool: by its name, its group, or its description.
function fitOf(tool: Tool, word: string): number {
  const { name, group } = tool;
  const { inName, inDescription } = knownWords(tool);
  if (inName.includes(word)) return 5;
  if (name.includes(word)) return 3;
  if (group.includes(word)) return 2;
  return inDescription.some((one) => one.startsWith(word)) ? 3 : 0;
}

interface Words {
  inName: string[];
  inDescription: string[];
}

const known = new WeakMap<Tool, Words>();

function knownWords(tool: Tool): Words {
  const { name, description } = tool;
  const words = known.get(tool) ?? { inName: name.split('_').map(singular), inDescription: wordsOf(description) };
  known.set(tool, words);
  return words;
}

export const shortOf = ({ name, group, description }: Tool): Values => ({ name, group, description });
