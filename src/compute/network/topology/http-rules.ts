// The HTTP rules of an application load balancer: which one applies to a request, and its response unless it forwards.
import { type Address, contains, rangeOf } from '../ip.ts';
import type { HttpCondition, HttpRule } from '../spec.ts';
import type { Arrival, HttpRequest } from '../verdict.ts';
import { compileHttpPattern } from './http-pattern.ts';

export interface ParsedHttpRule {
  rule: HttpRule;
  conditions: readonly Condition[];
}

type Condition = (request: HttpRequest, source: Address) => boolean;

// FORWARD rules come last, as in the real platform.
export const parseHttpRules = (rules: readonly HttpRule[]): ParsedHttpRule[] =>
  [...rules.filter(({ type }) => type !== 'FORWARD'), ...rules.filter(({ type }) => type === 'FORWARD')].map(
    (rule) => ({
      rule,
      conditions: rule.conditions.map(parseCondition),
    }),
  );

export const findHttpRule = (
  rules: readonly ParsedHttpRule[],
  request: HttpRequest,
  source: Address,
): HttpRule | undefined => rules.find(({ conditions }) => conditions.every((isMet) => isMet(request, source)))?.rule;

export function answerOf(rule: HttpRule, query: string, by: { id: string; datacenterId: string }): Arrival {
  const isStatic = rule.type === 'STATIC';
  return {
    kind: 'answer',
    balancerId: by.id,
    datacenterId: by.datacenterId,
    statusCode: rule.statusCode ?? (isStatic ? 503 : 301),
    location: isStatic ? null : withQuery(rule.location ?? '', rule.dropQuery ? '' : query),
    contentType: isStatic ? rule.contentType : null,
    message: isStatic ? rule.responseMessage : null,
  };
}

const withQuery = (location: string, query: string): string =>
  query === '' ? location : `${location}${location.includes('?') ? '&' : '?'}${query}`;

const never: Condition = () => false;

function parseCondition(condition: HttpCondition): Condition {
  const isNegated = condition.negate === true;
  if (condition.type === 'SOURCE_IP') {
    const range = rangeOf(condition.value ?? '');
    return range ? (_request, source) => contains(range, source) !== isNegated : never;
  }
  const extract = extractorOf(condition);
  const compare = comparisonOf(condition);
  if (!compare) return never;
  return (request) => {
    const text = extract(request);
    return (text !== undefined && compare(text)) !== isNegated;
  };
}

function extractorOf({ type, key }: HttpCondition): (request: HttpRequest) => string | undefined {
  const name = key ?? '';
  if (type === 'PATH') return ({ path }) => path || undefined;
  if (type === 'METHOD') return ({ method }) => method || undefined;
  if (type === 'HOST') return ({ host }) => host.toLowerCase().replace(/:\d*$/, '') || undefined;
  if (type === 'QUERY') return ({ query }) => new URLSearchParams(query).get(name) ?? undefined;
  if (type === 'COOKIE') return ({ cookies }) => (Object.hasOwn(cookies, name) ? cookies[name] : undefined);
  const lower = name.toLowerCase();
  return ({ headers }) => Object.entries(headers).find(([header]) => header.toLowerCase() === lower)?.[1];
}

function comparisonOf({ type, condition, value }: HttpCondition): ((text: string) => boolean) | undefined {
  const wanted = type === 'HOST' && condition !== 'MATCHES' ? (value ?? '').toLowerCase() : (value ?? '');
  if (condition === 'EXISTS') return () => true;
  if (condition === 'MATCHES') return compileHttpPattern(wanted);
  if (condition === 'CONTAINS') return (text) => text.includes(wanted);
  if (condition === 'STARTS_WITH') return (text) => text.startsWith(wanted);
  if (condition === 'ENDS_WITH') return (text) => text.endsWith(wanted);
  return (text) => text === wanted;
}
