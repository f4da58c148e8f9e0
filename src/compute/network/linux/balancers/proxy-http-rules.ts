// The HTTP rules of an application load balancer for HAProxy. Each rule in turn sets a variable to whether all its
// conditions are met, so the number of conditions has no limit. The first such rule decides, as in http-rules.ts.
import type { HttpCondition, HttpRule } from '../../spec.ts';
import type { ApplicationListener } from '../../topology/endpoint.ts';
import { argument, literal, word } from './haproxy-text.ts';

const met = '{ var(txn.met) -m bool }';
const unchosen = '!{ var(txn.pool) -m found }';

export function httpRuleLines({ httpRules }: ApplicationListener, poolName: (rule: HttpRule) => string): string[] {
  const lines = httpRules.flatMap(({ rule }, at) => [
    'http-request set-var(txn.met) bool(true)',
    ...rule.conditions.flatMap((condition, number) => conditionLines(condition, `c${at}-${number}`)),
    ...actionLines(rule, poolName),
  ]);
  return [...lines, 'use_backend %[var(txn.pool)] if { var(txn.pool) -m found }'];
}

function actionLines(rule: HttpRule, poolName: (rule: HttpRule) => string): string[] {
  const name = `http-request set-var(txn.rule) ${word(`str(${argument(rule.name)})`)} if ${met}`;
  if (rule.type !== 'FORWARD') return [name, ...answerLines(rule)];
  return [`${name} ${unchosen}`, `http-request set-var(txn.pool) str(${poolName(rule)}) if ${met} ${unchosen}`];
}

function answerLines(rule: HttpRule): string[] {
  if (rule.type === 'STATIC') {
    const body = rule.responseMessage ?? '';
    const content = body === '' ? '' : ` content-type ${word(rule.contentType ?? 'text/plain')} string ${word(body)}`;
    return [`http-request return status ${rule.statusCode ?? 503}${content} if ${met}`];
  }
  const location = literal(rule.location ?? '');
  const redirect = (to: string): string => `http-request redirect code ${rule.statusCode ?? 301} location ${word(to)}`;
  const joint = location.includes('?') ? '&' : '?';
  return [
    ...(rule.dropQuery ? [] : [`${redirect(`${location}${joint}%[query]`)} if ${met} { query -m len gt 0 }`]),
    `${redirect(location)} if ${met}`,
  ];
}

function conditionLines(condition: HttpCondition, acl: string): string[] {
  const isMet = condition.negate === true ? acl : `!${acl}`; // when the condition is not met
  return [`acl ${acl} ${testOf(condition)}`, `http-request set-var(txn.met) bool(false) if ${isMet}`];
}

function testOf(condition: HttpCondition): string {
  const value = condition.value ?? '';
  if (condition.type === 'SOURCE_IP') return `src -- ${word(value)}`;
  const sample = word(sampleOf(condition));
  const isHost = condition.type === 'HOST' && condition.condition !== 'MATCHES';
  const wanted = word(isHost ? value.toLowerCase() : value);
  if (condition.condition === 'EXISTS') return `${sample} -m found`;
  if (condition.condition === 'MATCHES') return `${sample} -m reg -- ${wanted}`;
  if (condition.condition === 'EQUALS' || condition.condition === null)
    return value === '' ? `${sample} -m len 0` : `${sample} -m str -- ${wanted}`;
  if (value === '') return `${sample} -m found`;
  const ways = { CONTAINS: 'sub', STARTS_WITH: 'beg', ENDS_WITH: 'end' } as const;
  return `${sample} -m ${ways[condition.condition]} -- ${wanted}`;
}

function sampleOf({ type, key }: HttpCondition): string {
  const name = argument(key ?? '');
  const samples: Readonly<Record<HttpCondition['type'], string>> = {
    PATH: 'path',
    METHOD: 'method',
    HOST: 'req.hdr(host),host_only,lower',
    QUERY: `urlp(${name}),url_dec(1)`,
    COOKIE: `req.cook(${name})`,
    HEADER: `req.fhdr(${name})`,
    SOURCE_IP: 'src',
  };
  return samples[type];
}
