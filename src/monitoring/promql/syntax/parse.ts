// Parses a query: converts the nodes of the official grammar into our syntax tree, one function for each kind.
import type { SyntaxNode } from '@lezer/common';
import type { Matcher } from '../../series.ts';
import { childrenOf, grammarTree, parseError } from './grammar.ts';
import { parseNumber, unquote } from './literals.ts';
import { Modifiers } from './modifiers.ts';
import { applyPrecedence, isCalculation } from './precedence.ts';
import {
  type Aggregation,
  type BinaryNode,
  type BinaryOp,
  type CallNode,
  type Matching,
  type Node,
  type NumberNode,
  type Span,
  takesParameter,
} from './tree.ts';
import { check } from './type-check.ts';

const mostNesting = 400;

// Parses a complete expression with valid types. Errors have their position as line:column.
export function parseQuery(text: string): Node {
  const node = new Syntax(text).node(grammarTree(text));
  check(node, text);
  return node;
}

// Parses the selector in a match[] parameter.
export function parseSelector(text: string): Matcher[] {
  const node = new Syntax(text).node(grammarTree(text));
  if (node.kind !== 'selector' || node.at !== undefined || node.offset || node.extension)
    throw parseError(text, node.span, 'expected a selector of series and nothing else');
  check(node, text);
  return node.matchers;
}

class Syntax {
  readonly #text: string;
  readonly #modifiers: Modifiers;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#modifiers = new Modifiers(text);
  }

  node(from: SyntaxNode): Node {
    if (++this.#depth > mostNesting) throw parseError(this.#text, from, 'the expression nests too deeply');
    const node = this.#convert(from);
    this.#depth--;
    return node;
  }

  #convert(from: SyntaxNode): Node {
    switch (from.name) {
      case 'ParenExpr':
        return { kind: 'paren', span: spanOf(from), body: this.#first(from) };
      case 'NumberDurationLiteral':
        return this.#number(from);
      case 'StringLiteral':
        return { kind: 'string', span: spanOf(from), value: this.#string(from) };
      case 'VectorSelector':
        return this.#selector(from);
      case 'FunctionCall':
        return this.#call(from);
      case 'AggregateExpr':
        return this.#aggregate(from);
      default:
        if (!isCalculation(from)) throw parseError(this.#text, from, `unexpected ${from.name}`);
        return applyPrecedence(from, this.#text, {
          operand: ({ node, span }) => (node.name === 'NumberDurationLiteral' ? this.#number(span) : this.node(node)),
          modified: (body, { node }) => this.#modifiers.apply(body, node),
          signed: ({ span }, body) => this.#signed(span, body),
          binary: (left, { node }, right) => this.#binary(left, node, right),
        });
    }
  }

  #first(from: SyntaxNode): Node {
    return this.node(childrenOf(from)[0] as SyntaxNode);
  }

  #written({ from, to }: Span): string {
    return this.#text.slice(from, to);
  }

  #string(from: Span): string {
    const value = unquote(this.#written(from));
    if (value === undefined) throw parseError(this.#text, from, `error unquoting string ${this.#written(from)}`);
    return value;
  }

  #number(from: Span): NumberNode {
    const found = parseNumber(this.#written(from));
    if (!found) throw parseError(this.#text, from, `error parsing number: ${this.#written(from)}`);
    return { kind: 'number', span: spanOf(from), ...found };
  }

  #selector(from: SyntaxNode): Node {
    const matchers: Matcher[] = [];
    let name = '';
    for (const child of childrenOf(from))
      if (child.name === 'Identifier') name = this.#written(child);
      else for (const matcher of childrenOf(child)) matchers.push(this.#matcher(matcher));
    if (name !== '') matchers.push({ name: '__name__', op: '=', value: name });
    return { kind: 'selector', span: spanOf(from), name, matchers };
  }

  #matcher(from: SyntaxNode): Matcher {
    if (from.name === 'QuotedLabelName') return { name: '__name__', op: '=', value: this.#string(from) };
    const [label, op, value] = childrenOf(from) as [SyntaxNode, SyntaxNode, SyntaxNode];
    return { name: this.#label(label), op: this.#written(op) as Matcher['op'], value: this.#string(value) };
  }

  #label(from: SyntaxNode): string {
    return from.name === 'QuotedLabelName' ? this.#string(from) : this.#written(from);
  }

  #labels(from: SyntaxNode): string[] {
    return childrenOf(from).map((child) => this.#label(child));
  }

  #call(from: SyntaxNode): CallNode {
    const [name, body] = childrenOf(from) as [SyntaxNode, SyntaxNode];
    const args = childrenOf(body).map((child) => this.node(child));
    return { kind: 'call', span: spanOf(from), name: this.#written(name), args };
  }

  #aggregate(from: SyntaxNode): Node {
    const children = childrenOf(from);
    const op = this.#written(children[0] as SyntaxNode).toLowerCase() as Aggregation;
    const body = children.find(({ name }) => name === 'FunctionCallBody') as SyntaxNode;
    const modifier = children.find(({ name }) => name === 'AggregateModifier');
    const [kind, labels] = modifier ? childrenOf(modifier) : [];
    const args = childrenOf(body).map((child) => this.node(child));
    if (args.length === 0) throw parseError(this.#text, from, 'no arguments for aggregate expression provided');
    const wanted = takesParameter(op) ? 2 : 1;
    if (args.length !== wanted) {
      const counts = `expected ${wanted}, got ${args.length}`;
      throw parseError(this.#text, from, `wrong number of arguments for aggregate expression provided, ${counts}`);
    }
    return {
      kind: 'aggregate',
      span: spanOf(from),
      op,
      grouping: labels ? this.#labels(labels) : [],
      isWithout: kind?.name === 'Without',
      ...(wanted === 2 && { parameter: args[0] as Node }),
      body: args[wanted - 1] as Node,
    };
  }

  #signed({ from }: Span, body: Node): Node {
    const op = this.#text[from] as '+' | '-';
    const span = { from, to: body.span.to };
    if (body.kind === 'number') return { ...body, span, value: op === '-' ? -body.value : body.value };
    return { kind: 'unary', span, op, body };
  }

  #binary(left: Node, from: SyntaxNode, right: Node): BinaryNode {
    const children = childrenOf(from);
    const clause = (name: string): SyntaxNode | undefined => children.find((child) => child.name === name);
    const matching = clause('MatchingModifierClause');
    return {
      kind: 'binary',
      span: { from: left.span.from, to: right.span.to },
      op: this.#written(children[1] as SyntaxNode).toLowerCase() as BinaryOp,
      left,
      right,
      isBool: clause('BoolModifier') !== undefined,
      matching: { ...this.#matching(matching), ...this.#fills(clause('FillModifier')) },
      hasMatching: matching !== undefined,
    };
  }

  #matching(from: SyntaxNode | undefined): Matching {
    const found: Matching = { isOn: false, labels: [], include: [] };
    let isGroup = false;
    for (const child of from ? childrenOf(from) : []) {
      if (child.name === 'On') found.isOn = true;
      else if (child.name === 'GroupingLabels') found[isGroup ? 'include' : 'labels'] = this.#labels(child);
      else if (child.name !== 'Ignoring') {
        isGroup = true;
        found.group = child.name === 'GroupLeft' ? 'left' : 'right';
      }
    }
    return found;
  }

  #fills(from: SyntaxNode | undefined): Pick<Matching, 'fillLeft' | 'fillRight'> {
    const fills: Pick<Matching, 'fillLeft' | 'fillRight'> = {};
    for (const clause of from ? childrenOf(from) : []) {
      const number = childrenOf(clause).find(({ name }) => name === 'NumberDurationLiteral') as SyntaxNode;
      const { value } = this.#number(number);
      if (clause.name !== 'FillRightClause') fills.fillLeft = value;
      if (clause.name !== 'FillLeftClause') fills.fillRight = value;
    }
    return fills;
  }
}

function spanOf({ from, to }: Span): Span {
  return { from, to };
}
