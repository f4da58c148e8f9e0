// Operator precedence. In the editors' grammar, modifiers after a selector (offset, @, a range …) apply to the whole
// calculation before it; here such an expression is split into its tokens in written order and rebuilt by the server's
// rules.
import type { SyntaxNode } from '@lezer/common';
import { childrenOf, parseError } from './grammar.ts';
import type { Node, Span } from './tree.ts';

export interface Piece {
  kind: 'sign' | 'operand' | 'modifier' | 'operator';
  node: SyntaxNode;
  span: Span;
}

export interface Builder {
  operand(piece: Piece): Node;
  modified(body: Node, piece: Piece): Node;
  signed(sign: Piece, body: Node): Node;
  binary(left: Node, operator: Piece, right: Node): Node;
}

const mostPieces = 1000;
const modifiers: ReadonlySet<string> = new Set([
  'MatrixSelector',
  'SubqueryExpr',
  'OffsetExpr',
  'StepInvariantExpr',
  'AnchoredExpr',
  'SmoothedExpr',
]);

const levels: Readonly<Record<string, number>> = {
  Or: 1,
  And: 2,
  Unless: 2,
  Add: 4,
  Sub: 4,
  Mul: 5,
  Div: 5,
  Mod: 5,
  Atan2: 5,
  Pow: 6,
};
const comparisonLevel = 3;
const powerLevel = 6;

export function isCalculation({ name }: SyntaxNode): boolean {
  return name === 'BinaryExpr' || name === 'UnaryExpr' || modifiers.has(name);
}

export function applyPrecedence(root: SyntaxNode, text: string, builder: Builder): Node {
  const pieces = piecesOf(root, text);
  if (pieces.length > mostPieces) throw parseError(text, root, `the expression has more than ${mostPieces} parts`);
  let at = 0;
  const operand = (): Node => {
    const piece = pieces[at++] as Piece;
    if (piece.kind === 'sign') return builder.signed(piece, expression(powerLevel)); // -2^2 is -(2^2)
    let node = builder.operand(piece);
    for (let next = pieces[at]; next?.kind === 'modifier'; next = pieces[++at]) node = builder.modified(node, next);
    return node;
  };
  const expression = (level: number): Node => {
    let left = operand();
    for (let next = pieces[at]; next && levelOf(next) >= level; next = pieces[at]) {
      at++;
      const own = levelOf(next);
      left = builder.binary(left, next, expression(own === powerLevel ? own : own + 1));
    }
    return left;
  };
  return expression(1);
}

function levelOf({ node }: Piece): number {
  return levels[childrenOf(node)[1]?.name ?? ''] ?? comparisonLevel;
}

function piecesOf(root: SyntaxNode, text: string): Piece[] {
  const pieces: Piece[] = [];
  const open: (SyntaxNode | Piece)[] = [root];
  for (let next = open.pop(); next; next = open.pop()) {
    if ('kind' in next) pieces.push(next);
    else open.push(...partsOf(next, text).reverse());
  }
  return pieces;
}

function partsOf(node: SyntaxNode, text: string): (SyntaxNode | Piece)[] {
  const children = childrenOf(node);
  const [first, second] = children as [SyntaxNode, SyntaxNode];
  const piece = (kind: Piece['kind'], span: Span = node): Piece => ({
    kind,
    node,
    span: { from: span.from, to: span.to },
  });
  if (node.name === 'BinaryExpr') return [first, piece('operator', second), children.at(-1) as SyntaxNode];
  if (node.name === 'UnaryExpr') return [piece('sign', first), second];
  if (modifiers.has(node.name)) return [first, piece('modifier')];
  const isSigned = node.name === 'NumberDurationLiteral' && /[+-]/.test(text[node.from] ?? '');
  if (!isSigned) return [piece('operand')];
  return [
    piece('sign', { from: node.from, to: node.from + 1 }),
    piece('operand', { from: node.from + 1, to: node.to }),
  ];
}
