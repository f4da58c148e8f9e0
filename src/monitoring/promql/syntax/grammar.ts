// The official grammar (a parser for editors), adapted to the official server. Where the two differ, a word is replaced
// by one of the same length, so that all offsets refer to the original text.
import type { SyntaxNode, Tree } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { QueryError } from '../query-error.ts';
import { quote } from './literals.ts';
import { signatures } from './signatures.ts';
import { aggregations, placeOf, type Span } from './tree.ts';

const longest = 100_000;
const tokenForm = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|#[^\n]*|[A-Za-z_:][\w:]*|[\d.][\w.]*/g;
const durationWords = /^(?:step|range|min_of|max_of)$/i;

export function parseError(text: string, { from }: Span, message: string): QueryError {
  return new QueryError('bad_data', `${placeOf(text, from)}: parse error: ${message}`);
}

// Returns the root node; throws if the text is not an expression.
export function grammarTree(text: string): SyntaxNode {
  if (text.trim() === '')
    throw new QueryError('bad_data', 'unknown position: parse error: no expression found in input');
  if (text.length > longest) throw parseError(text, { from: 0, to: 0 }, `the expression is longer than ${longest}`);
  let bridged = bridge(text);
  let tree = parser.parse(bridged);
  for (let call = scalarCall(bridged, tree); call; call = scalarCall(bridged, tree)) {
    bridged = `${bridged.slice(0, call.from)}scalar${bridged.slice(call.to)}`;
    tree = parser.parse(bridged);
  }
  const error = firstError(tree);
  if (error) throw syntaxError(text, error);
  return firstChild(tree.topNode) as SyntaxNode;
}

// Differences to the server: keywords in capitals, numbers that end in a point, and names that the grammar treats as
// keywords because every object inherits them (constructor, __proto__).
function bridge(text: string): string {
  return text.replace(tokenForm, (token, at: number) => {
    if (durationWords.test(token) && /^\s*\(/.test(text.slice(at + token.length))) return token.toLowerCase();
    if (token.toLowerCase() in Object.prototype) return '_'.repeat(token.length);
    if (/^\d[\d_]*\.$/.test(token)) return `${token.slice(0, -1)} `;
    return token;
  });
}

// max_of and min_of are functions too; the grammar supports them only in durations.
function scalarCall(text: string, tree: Tree): Span | undefined {
  let found: Span | undefined;
  tree.iterate({
    enter: ({ name, from, to }) => {
      const isCall = name === 'Identifier' && /^(?:max|min)_of$/.test(text.slice(from, to));
      if (isCall && /^\s*\(/.test(text.slice(to))) found ??= { from, to };
      return found === undefined;
    },
  });
  return found;
}

function firstError(tree: Tree): Span | undefined {
  let found: Span | undefined;
  tree.iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) found ??= { from, to };
      return found === undefined;
    },
  });
  return found;
}

// Omits punctuation and comments.
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (child.name !== 'LineComment') children.push(child);
  return children;
}

function firstChild(node: SyntaxNode): SyntaxNode | undefined {
  return childrenOf(node)[0];
}

function syntaxError(text: string, { from }: Span): QueryError {
  const skipped = /^(?:\s|#[^\n]*)*/.exec(text.slice(from))?.[0].length ?? 0;
  const at = from + skipped;
  const span = { from: at, to: at };
  const before = /([A-Za-z_:][\w:]*)\s*\(?\s*$/.exec(text.slice(0, at));
  const opens = text[at] === '(' || before?.[0].includes('(');
  if (before?.[1] && opens && !isKnownWord(before[1].toLowerCase()))
    return parseError(text, { from: before.index, to: at }, `unknown function with name ${quote(before[1])}`);
  if (at >= text.length) return parseError(text, span, 'unexpected end of input');
  return parseError(text, span, `unexpected ${describe(text.slice(at))}`);
}

const keywords: ReadonlySet<string> = new Set(
  'by without on ignoring group_left group_right bool offset fill'.split(' '),
);

function isKnownWord(word: string): boolean {
  return keywords.has(word) || signatures.has(word) || (aggregations as readonly string[]).includes(word);
}

function describe(rest: string): string {
  const quoted = /^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)/.exec(rest)?.[0];
  if (quoted) return `string ${quote(quoted)}`;
  if (/^["'`]/.test(rest)) return 'unterminated quoted string';
  const word = /^[A-Za-z_:][\w:]*/.exec(rest)?.[0];
  if (word) return `identifier ${quote(word)}`;
  const number = /^[\d.][\w.]*/.exec(rest)?.[0];
  if (number) return `number ${quote(number)}`;
  const operator = /^(?:==|!=|<=|>=|=~|!~|[-+*/%^<>=])/.exec(rest)?.[0];
  if (operator) return `<op:${operator}>`;
  const sign = /^[()[\]{},:@]/.exec(rest)?.[0];
  return sign ? quote(sign) : `character: '${String.fromCodePoint(rest.codePointAt(0) ?? 0)}'`;
}
