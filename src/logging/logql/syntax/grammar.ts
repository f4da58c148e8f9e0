// The official grammar (a parser for editors), adapted to the official server. Where the two differ, a word is replaced
// by one of the same length, so that all offsets refer to the original text.

import { parser } from '@grafana/lezer-logql';
import type { SyntaxNode, Tree } from '@lezer/common';
import { parseError, type QueryError } from '../query-error.ts';
import { expecting, tokenName } from './expected.ts';
import { rangeOps, vectorOps } from './tree.ts';

const longest = 131_072;
const deepest = 2000; // nesting depth of nodes, because they are read recursively
// An unterminated literal is one token too; otherwise its end would be searched from each of its quotes.
const tokenForm = /"(?:[^"\\\n]|\\.)*"?|`[^`]*`?|#[^\n]*|\]\s*offset\s+-?[\w.µ]+|[A-Za-z_:][\w:]*/gi;
const literalForm = /^(?:"(?:[^"\\\n]|\\.)*"|`[^`]*`)$/;
const offsetForm = /^\]\s*offset\s+(\S+)$/i;

const functionWords: ReadonlySet<string> = new Set([
  ...rangeOps,
  ...vectorOps,
  ...'vector label_replace bytes duration duration_seconds ip'.split(' '),
]);
const otherWords: ReadonlySet<string> = new Set(
  (
    'by without bool offset on ignoring group_left group_right or and unless json regexp logfmt unpack pattern ' +
    'label_format line_format decolorize drop keep unwrap'
  ).split(' '),
);

export function grammarTree(text: string): SyntaxNode {
  if (text.length > longest) throw parseError(`input size too long (${text.length} > ${longest})`);
  const tree = parser.parse(bridge(text));
  const { error, depth } = lookOver(tree, text);
  if (depth > deepest) throw parseError('the query is nested too deeply');
  if (error !== undefined) throw syntaxError(text, error);
  const [root] = childrenOf(tree.topNode);
  if (!root) throw parseError('syntax error: unexpected $end', text, text.length);
  return root;
}

// Returns the offset that follows a range ending here.
export function offsetAfter(text: string, end: number): string | undefined {
  tokenForm.lastIndex = end - 1;
  const found = tokenForm.exec(text);
  tokenForm.lastIndex = 0;
  return found?.index === end - 1 ? offsetForm.exec(found[0])?.[1] : undefined;
}

// Differences to the server: keywords in capitals; function names without a call; approx_topk, which the grammar lacks;
// and offsets after an unwrapped label, which it does not accept.
function bridge(text: string): string {
  return text.replace(tokenForm, (token, at: number) => {
    const lower = token.toLowerCase();
    if (/^["`]/.test(token) && !literalForm.test(token)) throw parseError('literal not terminated', text, at);
    if (token.startsWith(']')) return ']'.padEnd(token.length);
    const isCall = /^\s*(?:\(|(?:by|without)\s*\()/i.test(text.slice(at + token.length, at + token.length + 40));
    if (isCall && lower === 'approx_topk') return 'topk'.padStart(token.length);
    if (otherWords.has(lower) || (isCall && functionWords.has(lower))) return lower;
    if (functionWords.has(lower)) return 'x'.repeat(token.length); // an ordinary label
    return token;
  });
}

function lookOver(tree: Tree, text: string): { error?: number; depth: number } {
  let error: number | undefined;
  let [level, depth] = [0, 0];
  tree.iterate({
    enter: ({ type, from, to }) => {
      // The grammar accepts keywords as labels; Loki does not.
      const isKeyword =
        (type.name === 'Identifier' || type.name === 'GroupingLabel') &&
        otherWords.has(text.slice(from, to).toLowerCase());
      if (type.isError || isKeyword) error = Math.min(error ?? from, from);
      depth = Math.max(depth, ++level);
    },
    leave: () => void level--,
  });
  return { depth, ...(error !== undefined && { error }) };
}

// Omits comments.
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (child.name !== 'LineComment') children.push(child);
  return children;
}

export const childOf = (node: SyntaxNode, ...names: string[]): SyntaxNode | undefined =>
  childrenOf(node).find(({ name }) => names.includes(name));

// Returns the items of a left-nested list, such as Matchers(Matchers(Matcher) Matcher), in order.
export function itemsOf(node: SyntaxNode, item: string): SyntaxNode[] {
  return childrenOf(node).flatMap((child) =>
    child.name === item ? [child] : child.name === node.name ? itemsOf(child, item) : [],
  );
}

function syntaxError(text: string, from: number): QueryError {
  const skipped = /^(?:\s|#[^\n]*)*/.exec(text.slice(from))?.[0].length ?? 0;
  const at = from + skipped;
  return parseError(`syntax error: unexpected ${tokenName(text.slice(at))}${expecting(text.slice(0, at))}`, text, at);
}
