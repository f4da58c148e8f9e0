// The plan of one query: durations and times are resolved, parentheses are removed, and nodes with the same result at
// every step are marked, so that they are evaluated once.
import type { Matcher, SeriesData } from '../series.ts';
import type { Row } from './rows.ts';
import { durationMs, type QueryTimes } from './syntax/durations.ts';
import { signatures } from './syntax/signatures.ts';
import {
  type Aggregation,
  type BinaryOp,
  type Extension,
  type Matching,
  type Moment,
  type Node,
  type SelectorNode,
  type Span,
  type ValueType,
  withoutParens,
} from './syntax/tree.ts';

// Samples that a selector needs, and their destination.
export interface Load {
  matchers: readonly Matcher[];
  fromMs: number;
  toMs: number;
  series: SeriesData[];
  consume?: () => void; // if present, it may be fetched in parts: `series` is one part at a time
}

interface Common {
  span: Span;
  type: ValueType;
  isFixed: boolean; // the same at every step
}

// The time that a selector reads: fixed (@), or that of each step; minus an offset.
export interface Reference {
  atMs?: number;
  offsetMs: number;
}

export interface SelectorPlan extends Common, Reference {
  kind: 'selector';
  matchers: SelectorNode['matchers'];
  extension?: Extension;
  load: Load;
}

export interface RangePlan extends Common, Reference {
  kind: 'range';
  selector: SelectorPlan;
  rangeMs: number;
}

export interface SubqueryPlan extends Common, Reference {
  kind: 'subquery';
  body: Plan;
  rangeMs: number;
  stepMs: number;
}

export interface CallPlan extends Common {
  kind: 'call';
  name: string;
  args: Plan[];
}

export interface AggregatePlan extends Common {
  kind: 'aggregate';
  op: Aggregation;
  grouping: string[];
  isWithout: boolean;
  parameter?: Plan;
  body: Plan;
  computed?: Row[]; // while its samples were fetched
}

export interface BinaryPlan extends Common {
  kind: 'binary';
  op: BinaryOp;
  left: Plan;
  right: Plan;
  isBool: boolean;
  matching: Matching;
}

export interface InfoPlan extends Common, Reference {
  kind: 'info';
  body: Plan;
  selector: SelectorPlan; // of the info series
  dataMatchers: SelectorNode['matchers'];
}

export type Plan =
  | (Common & { kind: 'number'; value: number })
  | (Common & { kind: 'string'; value: string })
  | (Common & { kind: 'negate'; body: Plan })
  | SelectorPlan
  | RangePlan
  | SubqueryPlan
  | CallPlan
  | AggregatePlan
  | BinaryPlan
  | InfoPlan;

export interface PlanContext extends QueryTimes {
  defaultStepMs: number; // of subqueries without a step
  createLoad(matchers: readonly Matcher[]): Load;
}

// Their results depend on the evaluation time, for any arguments.
const seesTime: ReadonlySet<string> = new Set(['time', 'predict_linear']);
const seesTimeAlone: ReadonlySet<string> = new Set(
  'days_in_month day_of_month day_of_week day_of_year hour minute month year'.split(' '),
);

export function planOf(given: Node, context: PlanContext): Plan {
  const node = withoutParens(given);
  const { span } = node;
  switch (node.kind) {
    case 'number':
      return { kind: 'number', span, type: 'scalar', isFixed: true, value: node.value };
    case 'string':
      return { kind: 'string', span, type: 'string', isFixed: true, value: node.value };
    case 'selector':
      return selectorPlan(node, context);
    case 'range': {
      const selector = selectorPlan(node.selector, context);
      const rangeMs = durationMs(node.range, context, false);
      const { isFixed, offsetMs, atMs } = selector;
      return { kind: 'range', span, type: 'matrix', isFixed, selector, rangeMs, ...reference(atMs, offsetMs) };
    }
    case 'subquery': {
      const { atMs, offsetMs } = momentOf(node, context);
      return {
        kind: 'subquery',
        span,
        type: 'matrix',
        isFixed: atMs !== undefined,
        body: planOf(node.body, context),
        rangeMs: durationMs(node.range, context, false),
        stepMs: node.step ? durationMs(node.step, context, false) : context.defaultStepMs,
        ...reference(atMs, offsetMs),
      };
    }
    case 'call':
      return node.name === 'info' ? infoPlan(node, context) : callPlan(node, context);
    case 'aggregate': {
      const body = planOf(node.body, context);
      const parameter = node.parameter && planOf(node.parameter, context);
      const isFixed = body.isFixed && (parameter?.isFixed ?? true);
      const { op, grouping, isWithout } = node;
      return {
        kind: 'aggregate',
        span,
        type: 'vector',
        isFixed,
        op,
        grouping,
        isWithout,
        body,
        ...(parameter && { parameter }),
      };
    }
    case 'binary': {
      const left = planOf(node.left, context);
      const right = planOf(node.right, context);
      const type = left.type === 'scalar' && right.type === 'scalar' ? 'scalar' : 'vector';
      const { op, isBool, matching } = node;
      return { kind: 'binary', span, type, isFixed: left.isFixed && right.isFixed, op, left, right, isBool, matching };
    }
    case 'unary': {
      const body = planOf(node.body, context);
      if (node.op === '+') return body;
      return { kind: 'negate', span, type: body.type, isFixed: body.isFixed, body };
    }
    default:
      throw new Error('the plan has no parentheses');
  }
}

function reference(atMs: number | undefined, offsetMs: number): Reference {
  return atMs === undefined ? { offsetMs } : { atMs, offsetMs };
}

function momentOf({ at, offset }: Moment, context: PlanContext): Reference {
  const offsetMs = offset ? durationMs(offset, context, true) : 0;
  if (at === undefined) return { offsetMs };
  return { atMs: at === 'start' ? context.startMs : at === 'end' ? context.endMs : at, offsetMs };
}

function selectorPlan(node: SelectorNode, context: PlanContext): SelectorPlan {
  const moment = momentOf(node, context);
  return {
    kind: 'selector',
    span: node.span,
    type: 'vector',
    isFixed: moment.atMs !== undefined,
    matchers: node.matchers,
    ...(node.extension && { extension: node.extension }),
    ...moment,
    load: context.createLoad(node.matchers),
  };
}

function callPlan(node: Extract<Node, { kind: 'call' }>, context: PlanContext): Plan {
  const { span, name } = node;
  const number = queryNumber(name, context);
  if (number !== undefined) return { kind: 'number', span, type: 'scalar', isFixed: true, value: number };
  const args = node.args.map((arg) => planOf(arg, context));
  const dependsOnTime =
    seesTime.has(name) ||
    (args.length === 0 && seesTimeAlone.has(name)) ||
    (name === 'timestamp' && args[0]?.kind !== 'selector');
  const isFixed = !dependsOnTime && args.every((arg) => arg.isFixed);
  return { kind: 'call', span, type: signatures.get(name)?.gives ?? 'vector', isFixed, name, args };
}

// Functions that return properties of the query itself.
function queryNumber(name: string, { startMs, endMs, stepMs }: PlanContext): number | undefined {
  if (name === 'start') return startMs / 1000;
  if (name === 'end') return endMs / 1000;
  if (name === 'range') return (endMs - startMs) / 1000;
  if (name === 'step') return startMs === endMs ? 0 : stepMs / 1000;
  return undefined;
}

// info(v, {…}) reads its series at the time of v, if that is a single one.
function infoPlan(node: Extract<Node, { kind: 'call' }>, context: PlanContext): InfoPlan {
  const body = planOf(node.args[0] as Node, context);
  const given = node.args[1];
  const matchers = given?.kind === 'selector' ? given.matchers : [];
  const names = matchers.filter(({ name }) => name === '__name__');
  const dataMatchers = matchers.filter(({ name }) => name !== '__name__');
  const isPositive = names.some(({ op }) => op === '=' || op === '=~');
  if (names.length === 0) names.push({ name: '__name__', op: '=', value: 'target_info' });
  else if (!isPositive) names.unshift({ name: '__name__', op: '=~', value: '.+_info' });
  const shared = sharedReference(body);
  const moment = shared ?? { offsetMs: 0 };
  const all = [...names, ...dataMatchers];
  const selector: SelectorPlan = {
    kind: 'selector',
    span: node.span,
    type: 'vector',
    isFixed: moment.atMs !== undefined,
    matchers: names,
    ...moment,
    load: context.createLoad(all),
  };
  const isFixed = body.isFixed && shared !== undefined;
  return { kind: 'info', span: node.span, type: 'vector', isFixed, body, selector, dataMatchers, ...moment };
}

// The single time that all selectors of the node read; undefined if they differ or there is none.
function sharedReference(plan: Plan): Reference | undefined {
  const found = new Map<number | string, Reference>();
  const visit = (at: Plan, outer: Reference[]): boolean => {
    if (at.type !== 'vector' && at.type !== 'matrix') return false;
    if (at.kind === 'selector' || at.kind === 'range') {
      let { atMs, offsetMs } = at;
      for (const subquery of outer) {
        if (atMs !== undefined) break;
        offsetMs += subquery.offsetMs;
        atMs = subquery.atMs;
      }
      found.set(atMs === undefined ? `-${offsetMs}` : atMs - offsetMs, reference(atMs, offsetMs));
      return true;
    }
    const around = at.kind === 'subquery' ? [at, ...outer] : outer;
    const hasSelector = partsOf(at)
      .map((part) => visit(part, around))
      .includes(true);
    if (!hasSelector) found.set('none', { offsetMs: 0 });
    return hasSelector;
  };
  visit(plan, []);
  const [only] = found.values();
  return found.size === 1 && !found.has('none') ? only : undefined;
}

export function partsOf(plan: Plan): Plan[] {
  switch (plan.kind) {
    case 'subquery':
    case 'negate':
    case 'info':
      return [plan.body];
    case 'call':
      return plan.args;
    case 'aggregate':
      return plan.parameter ? [plan.body, plan.parameter] : [plan.body];
    case 'binary':
      return [plan.left, plan.right];
    case 'range':
      return [plan.selector];
    default:
      return [];
  }
}
