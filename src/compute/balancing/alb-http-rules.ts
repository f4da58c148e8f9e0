// Schema and rules of the HTTP rules of an application load balancer: which properties each type requires or refuses.
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { Draft, Report } from '../../core/resource.ts';
import { flag, integer, list, shape, text } from '../../core/schema.ts';
import { rangeOf } from '../network/ip.ts';
import { compileHttpPattern, maxPatternLength } from '../network/topology/http-pattern.ts';

const condition = shape({
  type: text({
    required: true,
    oneOf: ['HEADER', 'PATH', 'QUERY', 'METHOD', 'HOST', 'COOKIE', 'SOURCE_IP'],
    anyCase: true,
    example: 'PATH',
  }),
  condition: text({
    oneOf: ['EXISTS', 'CONTAINS', 'EQUALS', 'MATCHES', 'STARTS_WITH', 'ENDS_WITH'],
    anyCase: true,
    description: 'Required for all types except SOURCE_IP',
  }),
  negate: flag({ default: false }),
  key: text({ max: 255, description: 'The name of the header, query parameter or cookie' }),
  value: text({ max: 4096, description: 'An address or a network for SOURCE_IP' }),
});

export const httpRule = shape({
  name: text({ required: true, min: 1, max: 255, example: 'example', description: 'Unique in the forwarding rule' }),
  type: text({ required: true, oneOf: ['FORWARD', 'STATIC', 'REDIRECT'], example: 'STATIC' }),
  targetGroup: text({ max: 64, description: 'FORWARD: the ID of a target group' }),
  dropQuery: flag({ description: 'REDIRECT: drop the query' }),
  location: text({ max: 4096, description: 'REDIRECT: the target URL' }),
  statusCode: integer({ description: 'REDIRECT: 301, 302, 303, 307 or 308; STATIC: 200 to 599' }),
  responseMessage: text({ max: 4096, description: 'STATIC: the body of the response' }),
  contentType: text({ max: 255, description: 'STATIC: the content type of the response' }),
  conditions: list(condition, {
    max: 100,
    default: [],
    description: 'All conditions must match. Without conditions the rule always matches',
  }),
});

const needs: Record<string, string[]> = {
  FORWARD: ['targetGroup'],
  REDIRECT: ['location'],
  STATIC: ['responseMessage'],
};
const takes: Record<string, string[]> = {
  FORWARD: ['targetGroup'],
  REDIRECT: ['location', 'statusCode', 'dropQuery'],
  STATIC: ['statusCode', 'responseMessage', 'contentType'],
};
const special = [...new Set(Object.values(takes).flat())];
const redirects = [301, 302, 303, 307, 308];

const mostPatterns = 100; // each is compiled with every change of the rule or its datacenter

export function httpRules({ values }: Draft, report: Report): void {
  const names = new Set<string>();
  let patterns = 0;
  for (const [index, rule] of Array.isArray(values.httpRules) ? values.httpRules.entries() : []) {
    if (!isObject(rule)) continue;
    const at = `httpRules.[${index}]`;
    if (typeof rule.name === 'string' && names.has(rule.name))
      report(`${at}.name`, `Another HTTP rule has the name '${rule.name.slice(0, 80)}'`);
    names.add(String(rule.name));
    checkRule(rule, at, report);
    for (const [number, one] of Array.isArray(rule.conditions) ? rule.conditions.entries() : []) {
      if (!isObject(one)) continue;
      const place = `${at}.conditions.[${number}]`;
      if (one.condition === 'MATCHES' && ++patterns > mostPatterns) {
        report(place, `A forwarding rule has at most ${mostPatterns} conditions with MATCHES`);
        return;
      }
      checkCondition(one, place, report);
    }
  }
}

function checkRule(rule: Values, at: string, report: Report): void {
  const type = String(rule.type);
  const taken = takes[type];
  if (!taken) return; // reported by the schema
  for (const name of special) if (rule[name] === '') rule[name] = null;
  for (const name of needs[type] ?? [])
    if ((rule[name] ?? null) === null) report(`${at}.${name}`, `Attribute is required for type ${type}`);
  for (const name of special)
    if (!taken.includes(name) && (rule[name] ?? false))
      report(`${at}.${name}`, `Attribute not allowed for type ${type}`);
  rule.dropQuery = type === 'REDIRECT' ? (rule.dropQuery ?? false) : null;
  if (type === 'REDIRECT') checkStatus(rule, at, 301, (code) => redirects.includes(code), redirects.join(', '), report);
  if (type === 'STATIC') checkStatus(rule, at, 503, (code) => code >= 200 && code <= 599, '200 to 599', report);
}

function checkStatus(
  rule: Values,
  at: string,
  usual: number,
  isGood: (code: number) => boolean,
  says: string,
  report: Report,
): void {
  rule.statusCode ??= usual;
  if (typeof rule.statusCode === 'number' && !isGood(rule.statusCode))
    report(`${at}.statusCode`, `Attribute value ${rule.statusCode} not allowed. Expected one of [${says}]`, '109');
}

// A condition without a key that needs one never matches: clients do send that.
function checkCondition(one: Values, at: string, report: Report): void {
  for (const name of ['key', 'value']) if (one[name] === '') one[name] = null;
  const { type, key, value } = one;
  if (!['HEADER', 'QUERY', 'COOKIE'].includes(String(type)) && key !== null)
    report(`${at}.key`, `Attribute not allowed for a condition of type ${type}`);
  if (type === 'SOURCE_IP') checkSource(one, at, report);
  else if (one.condition === null) report(`${at}.condition`, `Attribute is required for a condition of type ${type}`);
  else if (one.condition === 'EXISTS') {
    if (value !== null) report(`${at}.value`, 'Attribute not allowed with EXISTS');
  } else if (value === null) report(`${at}.value`, `Attribute is required with ${one.condition}`);
  else if (one.condition === 'MATCHES') checkPattern(value, `${at}.value`, report);
}

export function checkPattern(value: Json | undefined, at: string, report: Report): void {
  if (typeof value === 'string' && !compileHttpPattern(value)) report(at, notUnderstood);
}

const notUnderstood = `Expected a regular expression of at most ${maxPatternLength} characters, with neither back references nor look-around`;

function checkSource({ condition, value }: Values, at: string, report: Report): void {
  if (condition !== null && condition !== 'EQUALS')
    report(`${at}.condition`, 'A condition of type SOURCE_IP only allows EQUALS');
  if (typeof value !== 'string' || !rangeOf(value))
    report(`${at}.value`, 'Expected an address or a network, such as 10.1.2.0/24');
}
