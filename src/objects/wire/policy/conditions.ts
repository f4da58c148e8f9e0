// The conditions of a statement. A key that the request lacks fails a plain operator, satisfies a negated one, and
// satisfies every …IfExists.
import { BlockList, isIP } from 'node:net';
import { s3Fault } from '../error.ts';
import { instant } from '../http/instant.ts';
import { type ConditionContext, matchesPattern } from './pattern.ts';

export interface Condition {
  operator: string; // as written, with its prefix and suffix
  key: string; // lower case
  values: string[];
}

interface Operator {
  isNegated?: boolean;
  test?(actual: string, expected: string): boolean;
  testAny?(actual: string, expected: readonly string[]): boolean; // if all values are prepared together
  accepts?(expected: string): boolean; // checked when the policy is set
}

const number = { accepts: (text: string) => /^-?\d+(?:\.\d+)?$/.test(text) };
const date = { accepts: (text: string) => !Number.isNaN(time(text)) };
const isEqual = (a: string, b: string): boolean => a === b;
const isEqualFolded = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const isLike = (actual: string, pattern: string): boolean => matchesPattern(pattern, actual);

const operators: Record<string, Operator> = {
  StringEquals: { test: isEqual },
  StringNotEquals: { test: isEqual, isNegated: true },
  StringEqualsIgnoreCase: { test: isEqualFolded },
  StringNotEqualsIgnoreCase: { test: isEqualFolded, isNegated: true },
  StringLike: { test: isLike },
  StringNotLike: { test: isLike, isNegated: true },
  ArnEquals: { test: isLike },
  ArnLike: { test: isLike },
  ArnNotEquals: { test: isLike, isNegated: true },
  ArnNotLike: { test: isLike, isNegated: true },
  NumericEquals: { ...number, test: (a, b) => Number(a) === Number(b) },
  NumericNotEquals: { ...number, test: (a, b) => Number(a) === Number(b), isNegated: true },
  NumericLessThan: { ...number, test: (a, b) => Number(a) < Number(b) },
  NumericLessThanEquals: { ...number, test: (a, b) => Number(a) <= Number(b) },
  NumericGreaterThan: { ...number, test: (a, b) => Number(a) > Number(b) },
  NumericGreaterThanEquals: { ...number, test: (a, b) => Number(a) >= Number(b) },
  DateEquals: { ...date, test: (a, b) => time(a) === time(b) },
  DateNotEquals: { ...date, test: (a, b) => time(a) === time(b), isNegated: true },
  DateLessThan: { ...date, test: (a, b) => time(a) < time(b) },
  DateLessThanEquals: { ...date, test: (a, b) => time(a) <= time(b) },
  DateGreaterThan: { ...date, test: (a, b) => time(a) > time(b) },
  DateGreaterThanEquals: { ...date, test: (a, b) => time(a) >= time(b) },
  Bool: { test: isEqualFolded, accepts: isBoolean },
  IpAddress: { testAny: isInNetworks, accepts: isNetwork },
  NotIpAddress: { testAny: isInNetworks, accepts: isNetwork, isNegated: true },
  Null: { test: isEqualFolded, accepts: isBoolean },
};

interface Parts {
  set: 'all' | 'any' | undefined;
  name: string;
  isIfExists: boolean;
}

function partsOf(operator: string): Parts {
  const match = /^(?:For(All|Any)Values?:)?(\w+?)(IfExists)?$/.exec(operator);
  const set = match?.[1] === 'All' ? 'all' : match?.[1] === 'Any' ? 'any' : undefined;
  return { set, name: match?.[2] ?? '', isIfExists: match?.[3] !== undefined };
}

export function checkCondition(condition: Condition): Condition {
  const { name, isIfExists } = partsOf(condition.operator);
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (!operator || (name === 'Null' && isIfExists)) {
    throw s3Fault('MalformedPolicy', `Invalid Condition type : ${condition.operator.slice(0, 60)}`);
  }
  if (!/^(?:aws|s3):[\w:/.=+@-]+$/.test(condition.key)) {
    throw s3Fault('MalformedPolicy', 'Policy has an invalid condition key');
  }
  if (operator.accepts && !condition.values.every(operator.accepts)) {
    throw s3Fault('MalformedPolicy', `Policy has an invalid value for ${name} of ${condition.key}`);
  }
  return condition;
}

// `values` are those of the condition with variables replaced; undefined if a variable has no value.
export function isSatisfied(condition: Condition, values: readonly string[], context: ConditionContext): boolean {
  const { set, name, isIfExists } = partsOf(condition.operator);
  const found = context.get(condition.key);
  const actual = found === undefined ? [] : typeof found === 'string' ? [found] : found;
  if (name === 'Null') return values.some((value) => (value.toLowerCase() === 'true') === (actual.length === 0));
  const { isNegated = false, test, testAny } = operators[name] as Operator;
  if (actual.length === 0) return isIfExists || set === 'all' || (isNegated && set !== 'any');
  const holds = (each: string): boolean =>
    (testAny?.(each, values) ?? values.some((value) => test?.(each, value))) !== isNegated;
  const isAll = set === 'all' || (set === undefined && isNegated);
  return isAll ? actual.every(holds) : actual.some(holds);
}

function isBoolean(text: string): boolean {
  return text.toLowerCase() === 'true' || text.toLowerCase() === 'false';
}

// ISO 8601, or seconds since 1970.
function time(text: string): number {
  return /^\d{1,11}$/.test(text) ? Number(text) * 1000 : (instant(text) ?? Number.NaN);
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

// Built once for all evaluations of a policy.
const listsOf = new WeakMap<readonly string[], BlockList>();

function isInNetworks(actual: string, networks: readonly string[]): boolean {
  const address = actual.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(address);
  if (family === 0) return false;
  const list = listsOf.get(networks) ?? listOf(networks);
  listsOf.set(networks, list);
  return list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', prefix] = network.split('/');
    const family = isIP(base) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(base, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return list;
}
