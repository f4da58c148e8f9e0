// Groups the operators of an expression by precedence, and computes constant parts.
import { parseError } from '../query-error.ts';
import { compute } from './operators.ts';
import { type BinaryExpr, type BinaryOp, type MetricExpr, setOps } from './tree.ts';

type Operator = Pick<BinaryExpr, 'op' | 'isBool' | 'matching'>;

export interface Chain {
  operands: MetricExpr[];
  operators: Operator[]; // one less than operands
}

const levels: readonly (readonly BinaryOp[])[] = [
  ['or'],
  ['and', 'unless'],
  ['==', '!=', '>', '>=', '<', '<='],
  ['+', '-'],
  ['*', '/', '%'],
  ['^'],
];
const levelOf = (op: BinaryOp): number => levels.findIndex((ops) => ops.includes(op));

export function regroup({ operands, operators }: Chain): MetricExpr {
  let next = 0;
  const climb = (least: number): MetricExpr => {
    let left = operands[next] as MetricExpr;
    for (let operator = operators[next]; operator; operator = operators[next]) {
      const level = levelOf(operator.op);
      if (level < least) return left;
      next++;
      const isRightAssociative = operator.op === '^';
      left = combined(operator, left, climb(isRightAssociative ? level : level + 1));
    }
    return left;
  };
  return climb(0);
}

function combined(operator: Operator, left: MetricExpr, right: MetricExpr): MetricExpr {
  if (setOps.has(operator.op)) {
    for (const [side, leg] of [['left', left] as const, ['right', right] as const])
      if (leg.kind === 'literal') {
        const what = `unexpected literal for ${side} leg of logical/set binary operation (${operator.op})`;
        throw parseError(`${what}: ${leg.value.toFixed(6)}`);
      }
  }
  if (left.kind === 'literal' && right.kind === 'literal')
    return { kind: 'literal', value: compute(operator.op, left.value, right.value) };
  return { kind: 'binary', left, right, ...operator };
}
