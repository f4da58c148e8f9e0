// Conditions of HTTP rules as verdict-model.ts evaluates them, without any code of the engine.
import type { HttpCondition } from '../spec.ts';
import type { Packet } from '../verdict.ts';
import { inside } from './model-addresses.ts';

export function holds(condition: HttpCondition, http: NonNullable<Packet['http']>, source: string): boolean {
  const { type, value } = condition;
  const key = condition.key ?? '';
  const isNegated = condition.negate === true;
  if (type === 'SOURCE_IP') return inside(source, value ?? '') ? !isNegated : isNegated;
  let text: string | null = null;
  if (type === 'PATH') text = http.path;
  if (type === 'METHOD') text = http.method;
  if (type === 'HOST') text = (http.host.split(':')[0] as string).toLowerCase();
  if (type === 'HEADER')
    for (const name of Object.keys(http.headers))
      if (name.toLowerCase() === key.toLowerCase()) text ??= http.headers[name] as string;
  if (type === 'COOKIE') text = http.cookies[key] ?? null;
  if (type === 'QUERY')
    for (const pair of http.query.split('&')) if (pair.split('=')[0] === key) text ??= pair.slice(key.length + 1);
  const isThere = text !== null && (text !== '' || type === 'HEADER' || type === 'COOKIE' || type === 'QUERY');
  const isMet =
    isThere && compared(condition, text as string, type === 'HOST' ? (value ?? '').toLowerCase() : (value ?? ''));
  return isNegated ? !isMet : isMet;
}

function compared({ condition, value }: HttpCondition, text: string, wanted: string): boolean {
  if (condition === 'EXISTS') return true;
  if (condition === 'CONTAINS') return text.includes(wanted);
  if (condition === 'STARTS_WITH') return text.startsWith(wanted);
  if (condition === 'ENDS_WITH') return text.endsWith(wanted);
  if (condition === 'MATCHES') return new RegExp(value ?? '').test(text);
  return text === wanted;
}
