// The text of a query, and the literals in it.
import type { SyntaxNode } from '@lezer/common';
import { unquote } from '../../../base/go-strings.ts';
import { parseError } from '../query-error.ts';
import { parseDuration, parseFloat64, UnitError } from './units.ts';

export interface Source {
  text: string;
  of(node: SyntaxNode): string;
  string(node: SyntaxNode): string;
  number(node: SyntaxNode): number; // with an optional sign
  duration(text: string, at: number): number; // in nanoseconds
}

export function sourceOf(text: string): Source {
  // approx_topk is longer than the word that replaced it for the grammar.
  const of = ({ from, to, name }: SyntaxNode): string =>
    name === 'VectorOp' && /approx_$/i.test(text.slice(0, from)) ? 'approx_topk' : text.slice(from, to);
  const reading = <Value>(read: () => Value, at: number): Value => {
    try {
      return read();
    } catch (error) {
      throw error instanceof UnitError ? parseError(error.message, text, at) : error;
    }
  };
  return {
    text,
    of,
    string(node) {
      const value = unquote(of(node));
      if (value === undefined) throw parseError('invalid syntax', text, node.from);
      return value;
    },
    number: (node) => reading(() => parseFloat64(of(node).replaceAll(/\s/g, '')), node.from),
    duration: (given, at) => reading(() => parseDuration(given), at),
  };
}
