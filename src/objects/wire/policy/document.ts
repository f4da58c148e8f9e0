// A bucket policy: parsed from JSON and fully checked when it is set, so that its evaluation cannot fail.
import { s3Fault } from '../error.ts';
import { type Condition, checkCondition } from './conditions.ts';
import type { Matcher } from './wildcards.ts';

export interface Principal {
  isAnyone: boolean; // "*"
  names: string[]; // ARNs, account numbers, canonical user ids
}

export interface Statement {
  sid: string | undefined;
  effect: 'Allow' | 'Deny';
  principal: Principal;
  isNotPrincipal: boolean;
  actions: string[]; // lower case, with wildcards
  isNotAction: boolean;
  resources: string[]; // without the "arn:aws:s3:::"
  isNotResource: boolean;
  conditions: Condition[];
}

export interface Policy {
  hasVariables: boolean; // version 2012, which supports "${aws:username}"
  statements: Statement[];
  matchers: Map<string, Matcher>; // of its actions and resources, compiled when needed
}

const mostBytes = 20 * 1024;
const arn = 'arn:aws:s3:::';
const versions = ['2012-10-17', '2008-10-17', undefined];
const fields = new Set('Sid Effect Principal NotPrincipal Action NotAction Resource NotResource Condition'.split(' '));

export function parsePolicy(text: string): Policy {
  if (Buffer.byteLength(text) > mostBytes) malformed('Policy exceeds the maximum allowed document size.');
  const document = parseJson(text);
  for (const name of Object.keys(document)) {
    if (!['Version', 'Id', 'Statement'].includes(name)) malformed(`Unknown field ${name.slice(0, 40)}`);
  }
  const { Version: version, Statement: statement } = document;
  if (!versions.some((each) => each === version)) malformed('The policy must contain a valid version string');
  const list = Array.isArray(statement) ? statement : [statement];
  if (list.length === 0 || statement === undefined) malformed('Missing required field Statement');
  return {
    hasVariables: version === '2012-10-17',
    matchers: new Map(),
    statements: list.map((each) => (isObject(each) ? parseStatement(each) : malformed('Invalid statement'))),
  };
}

function parseJson(text: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    malformed("Policies must be valid JSON and the first byte must be '{'");
  }
  return isObject(document) ? document : malformed("Policies must be valid JSON and the first byte must be '{'");
}

function parseStatement(statement: Record<string, unknown>): Statement {
  const unknown = Object.keys(statement).find((name) => !fields.has(name));
  if (unknown !== undefined) malformed(`Unknown field ${unknown.slice(0, 40)}`);
  const { Sid: sid, Effect: effect } = statement;
  if (sid !== undefined && typeof sid !== 'string') malformed('Sid must be a string');
  if (effect !== 'Allow' && effect !== 'Deny') return malformed(`Invalid effect: it must be Allow or Deny`);
  const principal = oneOf(statement, 'Principal');
  // It would admit everyone else, including anonymous callers.
  if (principal.isNot && effect === 'Allow') malformed('NotPrincipal is not supported with Allow');
  const action = oneOf(statement, 'Action');
  const resource = oneOf(statement, 'Resource');
  return {
    sid,
    effect,
    principal: parsePrincipal(principal.value),
    isNotPrincipal: principal.isNot,
    actions: strings(action.value, 'action').map(parseAction),
    isNotAction: action.isNot,
    resources: strings(resource.value, 'resource').map(parseResource),
    isNotResource: resource.isNot,
    conditions: parseConditions(statement.Condition),
  };
}

function oneOf(statement: Record<string, unknown>, name: string): { value: unknown; isNot: boolean } {
  const [plain, not] = [statement[name], statement[`Not${name}`]];
  if (plain === undefined && not === undefined) malformed(`Missing required field ${name}`);
  if (plain !== undefined && not !== undefined) malformed(`${name} and Not${name} exclude each other`);
  return plain === undefined ? { value: not, isNot: true } : { value: plain, isNot: false };
}

function parsePrincipal(value: unknown): Principal {
  if (value === '*') return { isAnyone: true, names: [] };
  if (!isObject(value) || Object.keys(value).length === 0) return malformed('Invalid principal in policy');
  const names = Object.entries(value).flatMap(([type, name]) => {
    if (type !== 'AWS' && type !== 'CanonicalUser') malformed('Invalid principal in policy');
    return strings(name, 'principal');
  });
  if (names.some((name) => name !== '*' && name.includes('*'))) malformed('Invalid principal in policy');
  return { isAnyone: names.includes('*'), names: names.filter((name) => name !== '*') };
}

function parseAction(action: string): string {
  if (action !== '*' && !/^s3:[a-z*?]+$/i.test(action)) malformed('Policy has invalid action');
  return action.toLowerCase();
}

// The platform accepts names of other buckets too; they match no request for this one.
function parseResource(resource: string): string {
  const name = resource.startsWith(arn) ? resource.slice(arn.length) : '';
  if (name === '' || name.startsWith('/')) malformed('Policy has invalid resource');
  return name;
}

function parseConditions(value: unknown): Condition[] {
  if (value === undefined) return [];
  if (!isObject(value)) return malformed('Policy has an invalid condition');
  return Object.entries(value).flatMap(([operator, keys]) => {
    if (!isObject(keys)) return malformed('Policy has an invalid condition');
    return Object.entries(keys).map(([key, expected]) => {
      const list = Array.isArray(expected) ? expected : [expected];
      const isPlain = list.every((each) => ['string', 'number', 'boolean'].includes(typeof each));
      if (!isPlain || list.length === 0) malformed('Policy has an invalid condition');
      return checkCondition({ operator, key: key.toLowerCase(), values: list.map(String) });
    });
  });
}

function strings(value: unknown, what: string): string[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0 || !list.every((each) => typeof each === 'string' && each !== '')) {
    malformed(`Policy has invalid ${what}`);
  }
  return list as string[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function malformed(message: string): never {
  throw s3Fault('MalformedPolicy', message);
}
