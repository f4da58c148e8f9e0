// Checks the arguments of a call against the tool's schema. The message says what would fit, because a model tries
// again. Models and command lines write 1 for "1" and vice versa, and null for missing arguments: both are accepted.
import { Ajv } from '@modelcontextprotocol/server/validators/ajv';
import { isObject, type Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import type { Tool } from '../tool.ts';

type Library = InstanceType<typeof Ajv>;
type Check = ReturnType<Library['compile']>;
type Wrong = NonNullable<Check['errors']>[number];

const checks = new WeakMap<Tool, Check>();
let library: Library | undefined; // loaded with the first call, so the start does not wait for it

export function checkedArguments(tool: Tool, args: Values): Values {
  library ??= new Ajv({ strict: false, allErrors: true, verbose: true, coerceTypes: true });
  const check = checks.get(tool) ?? library.compile(tool.input);
  checks.set(tool, check);
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  if (check(given)) return given;
  const wrong = [...new Set((check.errors ?? []).map(messageOf))];
  throw new Failure(`The arguments of ${tool.name} are wrong: ${wrong.join('; ')}`.slice(0, 2000));
}

function messageOf({ instancePath, keyword, message = 'is wrong', params, parentSchema }: Wrong): string {
  const where = instancePath === '' ? '' : `${instancePath.slice(1)} `;
  if (keyword === 'enum') return `${where}must be one of ${listed(params.allowedValues)}`;
  if (keyword !== 'additionalProperties') return `${where}${message}`;
  const { properties } = parentSchema ?? {};
  const known = isObject(properties) ? Object.keys(properties) : [];
  const name = JSON.stringify(String(params.additionalProperty).slice(0, 60));
  return `${where}has an unknown property ${name}; ${known.length > 0 ? `known properties: ${listed(known)}` : 'it takes none'}`;
}

const listed = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ');
