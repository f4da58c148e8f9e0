// Modifiers of selectors and subqueries: ranges, offset, @, anchored and smoothed, with their durations.
import type { SyntaxNode } from '@lezer/common';
import type { QueryError } from '../query-error.ts';
import { childrenOf, parseError } from './grammar.ts';
import { parseNumber } from './literals.ts';
import type { Duration, DurationOp, Extension, Node, RangeNode, SelectorNode, Span, SubqueryNode } from './tree.ts';

const furthestSeconds = 9_223_372_036; // what fits into 64 bits of nanoseconds

export class Modifiers {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  // Applies a node of the grammar to the expression before it.
  apply(body: Node, from: SyntaxNode): Node {
    switch (from.name) {
      case 'MatrixSelector':
        return this.#range(body, from);
      case 'SubqueryExpr':
        return this.#subquery(body, from);
      case 'OffsetExpr':
        return this.#offset(body, from);
      case 'StepInvariantExpr':
        return this.#at(body, from);
      default:
        return this.#extended(body, from, from.name === 'AnchoredExpr' ? 'anchored' : 'smoothed');
    }
  }

  #range(body: Node, from: SyntaxNode): RangeNode {
    if (body.kind !== 'selector') throw this.#bad(body.span, 'ranges only allowed for vector selectors');
    if (body.offset) throw this.#bad(from, 'no offset modifiers allowed before range');
    if (body.at !== undefined) throw this.#bad(from, 'no @ modifiers allowed before range');
    const [, range] = childrenOf(from);
    return {
      kind: 'range',
      span: { from: body.span.from, to: from.to },
      selector: body,
      range: this.#positive(range as SyntaxNode),
    };
  }

  #subquery(body: Node, from: SyntaxNode): SubqueryNode {
    const [, range, step] = childrenOf(from);
    return {
      kind: 'subquery',
      span: { from: body.span.from, to: from.to },
      body,
      range: this.#positive(range as SyntaxNode),
      ...(step && { step: this.#positive(step) }),
    };
  }

  #offset(body: Node, from: SyntaxNode): Node {
    const what =
      'offset modifier must be preceded by an instant vector selector or range vector selector or a subquery';
    const target = this.#target(body, what);
    if (target.offset) throw this.#bad(body.span, 'offset may not be set multiple times');
    const offset = this.#duration(childrenOf(from).at(-1) as SyntaxNode);
    return this.#widened(body, from, { offset });
  }

  #at(body: Node, from: SyntaxNode): Node {
    const what = '@ modifier must be preceded by an instant vector selector or range vector selector or a subquery';
    const target = this.#target(body, what);
    if (target.at !== undefined) throw this.#bad(body.span, '@ <timestamp> may not be set multiple times');
    const given = childrenOf(from).at(-1) as SyntaxNode;
    return this.#widened(body, from, { at: this.#moment(given, body) });
  }

  #extended(body: Node, from: SyntaxNode, extension: Extension): Node {
    if (body.kind === 'subquery') throw this.#bad(body.span, `${extension} modifier is not supported for subqueries`);
    if (body.kind !== 'selector' && body.kind !== 'range')
      throw this.#bad(
        body.span,
        `${extension} modifier must be preceded by an instant vector selector or range vector selector`,
      );
    const selector = body.kind === 'range' ? body.selector : body;
    if (selector.extension) throw this.#bad(body.span, 'anchored and smoothed modifiers cannot be used together');
    return this.#widened(body, from, { extension });
  }

  #bad(span: Span, message: string): QueryError {
    return parseError(this.#text, span, message);
  }

  #target(body: Node, otherwise: string): SelectorNode | SubqueryNode {
    if (body.kind === 'range') return body.selector;
    if (body.kind === 'selector' || body.kind === 'subquery') return body;
    throw this.#bad(body.span, otherwise);
  }

  // The modifiers of a range belong to the selector in it.
  #widened(body: Node, { to }: Span, changes: Partial<SelectorNode>): Node {
    const span = { from: body.span.from, to };
    if (body.kind === 'range') return { ...body, span, selector: { ...body.selector, ...changes } };
    return { ...body, span, ...changes } as Node;
  }

  #moment(given: SyntaxNode, body: Node): number | 'start' | 'end' {
    const written = this.#text.slice(given.from, given.to);
    if (given.name === 'AtModifierPreprocessors') return written.toLowerCase().startsWith('start') ? 'start' : 'end';
    const seconds = parseNumber(written)?.value ?? Number.NaN;
    if (!(Math.abs(seconds) < 2 ** 63))
      throw this.#bad(body.span, `timestamp out of bounds for @ modifier: ${written}`);
    return Math.round(seconds * 1000);
  }

  #positive(from: SyntaxNode): Duration {
    const duration = this.#duration(from);
    if (duration.kind === 'seconds' && !(duration.seconds > 0))
      throw this.#bad(from, 'duration must be greater than 0');
    return duration;
  }

  #duration(from: SyntaxNode): Duration {
    const children = childrenOf(from);
    const [first, second, third] = children as [SyntaxNode, SyntaxNode | undefined, SyntaxNode | undefined];
    const span = spanOf(from);
    switch (first.name) {
      case 'NumberDurationLiteralInDurationContext':
        return this.#literal(first);
      case 'DurationStep':
        return { kind: 'query', span, name: 'step' };
      case 'DurationRange':
        return { kind: 'query', span, name: 'range' };
      case 'DurationMinOf':
      case 'DurationMaxOf': {
        const op = first.name === 'DurationMinOf' ? 'min_of' : 'max_of';
        const [left, right] = [this.#duration(second as SyntaxNode), this.#duration(third as SyntaxNode)];
        return { kind: 'pair', span, op, left, right };
      }
      case 'UnaryOp': {
        const op = this.#text[first.from] as '+' | '-';
        return { kind: 'sign', span, op, right: this.#duration(second as SyntaxNode) };
      }
    }
    if (!second) return { kind: 'paren', span, inner: this.#duration(first) };
    const op = this.#text.slice(second.from, second.to) as DurationOp;
    return { kind: 'pair', span, op, left: this.#duration(first), right: this.#duration(third as SyntaxNode) };
  }

  #literal(from: SyntaxNode): Duration {
    const written = this.#text.slice(from.from, from.to);
    const found = parseNumber(written);
    if (!found) throw this.#bad(from, `error parsing number: ${written}`);
    if (!(Math.abs(found.value) <= furthestSeconds)) throw this.#bad(from, 'duration out of range');
    return { kind: 'seconds', span: spanOf(from), seconds: found.value, hasUnit: found.hasUnit };
  }
}

function spanOf({ from, to }: Span): Span {
  return { from, to };
}
