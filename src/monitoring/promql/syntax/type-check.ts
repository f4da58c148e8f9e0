// Checks the types of an expression, with the error messages of Prometheus, because users search for them.
import { BadPattern, compilePattern } from '../../../core/regexp.ts';
import { matcherTest } from '../matcher-test.ts';
import type { QueryError } from '../query-error.ts';
import { parseError } from './grammar.ts';
import { quote } from './literals.ts';
import { signatures } from './signatures.ts';
import {
  type AggregateNode,
  type BinaryNode,
  type CallNode,
  isComparison,
  isSetOperation,
  type Node,
  type SelectorNode,
  type Span,
  type ValueType,
} from './tree.ts';

export function typeOf(node: Node): ValueType {
  switch (node.kind) {
    case 'number':
      return 'scalar';
    case 'string':
      return 'string';
    case 'selector':
    case 'aggregate':
      return 'vector';
    case 'range':
    case 'subquery':
      return 'matrix';
    case 'call':
      return signatures.get(node.name)?.gives ?? 'vector';
    case 'binary':
      return typeOf(node.left) === 'scalar' && typeOf(node.right) === 'scalar' ? 'scalar' : 'vector';
    case 'unary':
    case 'paren':
      return typeOf(node.body);
  }
}

export function typeName(type: ValueType): string {
  if (type === 'vector') return 'instant vector';
  return type === 'matrix' ? 'range vector' : type;
}

// Throws the first error.
export function check(root: Node, text: string): void {
  const bad = (span: Span, message: string): QueryError => parseError(text, span, message);
  const expect = (node: Node, wanted: ValueType, where: string): void => {
    visit(node);
    const type = typeOf(node);
    if (type !== wanted) throw bad(node.span, `expected type ${typeName(wanted)} in ${where}, got ${typeName(type)}`);
  };

  function visit(node: Node): void {
    switch (node.kind) {
      case 'aggregate':
        aggregate(node);
        break;
      case 'binary':
        binary(node);
        break;
      case 'call':
        call(node);
        break;
      case 'paren':
        visit(node.body);
        break;
      case 'unary':
        visit(node.body);
        if (typeOf(node.body) !== 'scalar' && typeOf(node.body) !== 'vector') {
          const got = quote(typeName(typeOf(node.body)));
          throw bad(
            node.span,
            `unary expression only allowed on expressions of type scalar or instant vector, got ${got}`,
          );
        }
        break;
      case 'subquery':
        visit(node.body);
        if (typeOf(node.body) !== 'vector')
          throw bad(node.span, `subquery is only allowed on instant vector, got ${typeOf(node.body)} instead`);
        break;
      case 'range':
        selector(node.selector);
        break;
      case 'selector':
        selector(node);
    }
  }

  function aggregate(node: AggregateNode): void {
    expect(node.body, 'vector', 'aggregation expression');
    if (!node.parameter) return;
    expect(node.parameter, node.op === 'count_values' ? 'string' : 'scalar', 'aggregation parameter');
  }

  function selector(node: SelectorNode, mayBeEmpty = false): void {
    for (const { op, value } of node.matchers) {
      if (op === '=' || op === '!=') continue;
      try {
        compilePattern(value);
      } catch (error) {
        if (error instanceof BadPattern) throw bad(node.span, error.message);
        throw error;
      }
    }
    if (node.name !== '') {
      const twice = node.matchers.slice(0, -1).find(({ name }) => name === '__name__');
      if (twice)
        throw bad(node.span, `metric name must not be set twice: ${quote(node.name)} or ${quote(twice.value)}`);
    } else if (!mayBeEmpty && !node.matchers.some((matcher) => !matcherTest(matcher)('')))
      throw bad(node.span, 'vector selector must contain at least one non-empty matcher');
  }

  function call(node: CallNode): void {
    const known = signatures.get(node.name);
    if (!known) throw bad(node.span, `unknown function with name ${quote(node.name)}`);
    const name = quote(node.name);
    const { takes, more } = known;
    const count = node.args.length;
    const least = more === 0 ? takes.length : takes.length - 1;
    const most = more < 0 ? Number.POSITIVE_INFINITY : least + more;
    if (count < least || count > most) {
      const [words, limit] = more === 0 ? ['', least] : count < least ? ['at least ', least] : ['at most ', most];
      throw bad(node.span, `expected ${words}${limit} argument(s) in call to ${name}, got ${count}`);
    }
    for (const [at, arg] of node.args.entries()) {
      if (node.name === 'info' && at === 1) {
        if (arg.kind !== 'selector') throw bad(arg.span, 'expected label selectors only');
        if (arg.name !== '') throw bad(arg.span, 'expected label selectors only, got vector selector instead');
        selector(arg, true);
      } else expect(arg, takes[Math.min(at, takes.length - 1)] as ValueType, `call to function ${name}`);
    }
  }

  function binary(node: BinaryNode): void {
    const { op, left, right, matching } = node;
    visit(left);
    visit(right);
    const [leftType, rightType] = [typeOf(left), typeOf(right)];
    const between = {
      from: left.span.to + (/^\s*/.exec(text.slice(left.span.to))?.[0].length ?? 0),
      to: right.span.from,
    };
    if (node.isBool && !isComparison(op)) throw bad(between, 'bool modifier can only be used on comparison operators');
    if (isComparison(op) && !node.isBool && leftType === 'scalar' && rightType === 'scalar')
      throw bad(between, 'comparisons between scalars must use BOOL modifier');
    const both = matching.isOn && matching.labels.find((label) => matching.include.includes(label));
    if (both) throw bad(between, `label ${quote(both)} must not occur in ON and GROUP clause at once`);
    for (const side of [left, right])
      if (typeOf(side) !== 'scalar' && typeOf(side) !== 'vector')
        throw bad(side.span, 'binary expression must contain only scalar and instant vector types');
    const hasFill = matching.fillLeft !== undefined || matching.fillRight !== undefined;
    if (leftType !== 'vector' || rightType !== 'vector') {
      if (isSetOperation(op)) throw bad(node.span, `set operator ${quote(op)} not allowed in binary scalar expression`);
      if (matching.labels.length > 0) throw bad(node.span, 'vector matching only allowed between instant vectors');
      if (hasFill) throw bad(node.span, 'filling in missing series only allowed between instant vectors');
    } else if (isSetOperation(op)) {
      if (matching.group) throw bad(node.span, `no grouping allowed for ${quote(op)} operation`);
      if (hasFill) throw bad(node.span, 'filling in missing series not allowed for set operators');
    }
  }

  visit(root);
}
