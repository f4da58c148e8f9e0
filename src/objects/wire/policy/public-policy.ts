// Whether a policy makes a bucket public, by S3's definition: an allow for everyone that no condition restricts to
// fixed values. Denials don't count: S3 evaluates each statement alone.
import type { Condition } from './conditions.ts';
import type { Policy, Statement } from './document.ts';
import { hasWildcards } from './wildcards.ts';

const narrowing = new Set([
  'aws:sourceip',
  'aws:sourcearn',
  'aws:sourcevpc',
  'aws:sourcevpce',
  'aws:sourceowner',
  'aws:sourceaccount',
  'aws:userid',
  'aws:principalarn',
  'aws:principalaccount',
  'aws:principalorgid',
  's3:dataaccesspointarn',
  's3:dataaccesspointaccount',
]);
const positive = /^(?:ForAnyValue:)?(?:StringEquals|StringEqualsIgnoreCase|StringLike|ArnEquals|ArnLike|IpAddress)$/;

export const isPublicPolicy = (policy: Policy): boolean => policy.statements.some(isPublicStatement);

function isPublicStatement({ effect, principal, conditions }: Statement): boolean {
  if (effect !== 'Allow') return false;
  return principal.isAnyone && !conditions.some(narrows);
}

function narrows({ operator, key, values }: Condition): boolean {
  if (!narrowing.has(key) || !positive.test(operator)) return false;
  return values.every((value) => (operator.endsWith('IpAddress') ? isNarrow(value) : isFixed(value)));
}

const isFixed = (value: string): boolean => !hasWildcards(value) && !value.includes('${');

// S3 considers larger networks than these public.
function isNarrow(network: string): boolean {
  const [address = '', prefix] = network.split('/');
  if (prefix === undefined) return true;
  return Number(prefix) >= (address.includes(':') ? 32 : 8);
}
