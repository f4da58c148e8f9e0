// The same call for other clients, from the body of a form. What a client can't be told is left out and said so, and
// secrets are variables.

import type { OperationModel } from '../model.ts';
import { type ClientNames, type CommandNames, clientNames, snakeCase, type TerraformNames } from './client-names.ts';
import { withoutSecrets, withVariables } from './secrets.ts';

export interface Call {
  operation: Pick<OperationModel, 'operation' | 'method' | 'path'>;
  url: string;
  params: Readonly<Record<string, string>>; // of the path
  region?: string; // where it is made, if it is asked for: de-fra
  body: unknown;
}

export interface ClientText {
  client: 'curl' | 'ionosctl' | 'Terraform';
  text: string;
  leavesOut: readonly string[]; // what the form has and this text can't have
  needs: readonly string[]; // what this client asks for besides
}

type Value = Readonly<Record<string, unknown>>;

const isValue = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

export function clientTexts(given: Call): ClientText[] {
  const call = { ...given, body: withoutSecrets(given.body) };
  const { ionosctl, terraform }: ClientNames = clientNames[call.operation.operation] ?? {};
  return [
    { client: 'curl', text: curlText(call.operation.method, call.url, call.body), leavesOut: [], needs: [] },
    ...(ionosctl ? [ionosctlText(ionosctl, call)] : []),
    ...(terraform ? [terraformText(terraform, call)] : []),
  ];
}

function curlText(method: string, url: string, body: unknown): string {
  const lines = [`curl -X ${method} ${quoted(url)}`, `  -H "Authorization: Bearer $IONOS_TOKEN"`];
  if (body !== undefined)
    lines.push(`  -H 'Content-Type: application/json'`, `  -d ${quoted(JSON.stringify(body, null, 2))}`);
  return lines.join(' \\\n');
}

function ionosctlText(names: CommandNames, call: Call): ClientText {
  const command = `ionosctl ${names.words}`;
  if (names.takesFile) {
    const text = `${command} --json-properties /dev/stdin ${hereDocument(JSON.stringify(call.body, null, 2))}`;
    return { client: 'ionosctl', text, leavesOut: [], needs: [] };
  }
  const { own, around } = partsOf(call.body);
  const given = [...Object.entries(addressOf(call)), ...leavesOf(own)];
  const flags = given.flatMap(([path, value]) => {
    const flag = names.flags[path];
    return flag === undefined ? [] : [flagText(flag, value)];
  });
  return {
    client: 'ionosctl',
    text: [command, ...flags].join(' \\\n  '),
    leavesOut: [...leftOut(names, given), ...around],
    needs: needsOf(names.needs, call),
  };
}

// Things of which it can be told nothing are named as a whole.
function leftOut({ flags }: CommandNames, given: readonly [string, unknown][]): Set<string> {
  const paths = given.map(([path]) => path).filter((path) => flags[path] === undefined);
  const known = Object.keys(flags);
  const wholeOf = (path: string): string => path.split('.')[0] ?? path;
  return new Set(
    paths.map((path) => (known.some((one) => one.startsWith(`${wholeOf(path)}.`)) ? path : wholeOf(path))),
  );
}

const flagText = (flag: string, value: unknown): string =>
  typeof value === 'boolean'
    ? `--${flag}=${value}`
    : `--${flag} ${word(Array.isArray(value) ? value.join(',') : String(value))}`;

const word = (text: string): string => (/^[\w./:@%+,=-]+$/.test(text) ? text : quoted(text));
const quoted = (text: string): string =>
  withVariables(`'${text.replaceAll("'", `'\\''`)}'`, (variable) => `'"$${variable}"'`).replace(
    /^''(?=")|(?<=")''$/g,
    '',
  );

// The shell only puts variables into one whose mark is not quoted.
function hereDocument(text: string): string {
  const filled = withVariables(text.replace(/[\\$`]/g, '\\$&'), (variable) => `$${variable}`);
  return withVariables(text, () => '') === text ? `<<'EOF'\n${text}\nEOF` : `<<EOF\n${filled}\nEOF`;
}

function terraformText(names: TerraformNames, call: Call): ClientText {
  const { own, around } = partsOf(call.body);
  const leavesOut: string[] = [];
  const nameOf = (path: string): string | undefined =>
    names.lacks?.includes(path) ? undefined : (names.names?.[path] ?? snakeCase(path.split('.').at(-1) ?? ''));
  const body = blockLines({ ...names.fixed, ...addressOf(call), ...own }, (path) => {
    const name = nameOf(path);
    if (name === undefined) leavesOut.push(path);
    return name;
  });
  const label = `${own.name ?? own.zoneName ?? ''}`.toLowerCase().replace(/[^a-z0-9_]+/g, '_');
  return {
    client: 'Terraform',
    text: [`resource "${names.type}" "${/^[a-z]/.test(label) ? label : 'example'}" {`, ...body, '}'].join('\n'),
    leavesOut: [...new Set(leavesOut), ...around],
    needs: needsOf(names.needs, call),
  };
}

type NameOf = (path: string) => string | undefined;

// As Terraform's own formatter sets it: attributes with their signs below each other, then the blocks.
function blockLines(value: Value, nameOf: NameOf, path = ''): string[] {
  const { attributes, blocks } = contentOf(value, nameOf, path);
  const width = Math.max(0, ...attributes.map(([name]) => name.length));
  const lines = attributes.map(([name, text]) => `${name.padEnd(width)} = ${text}`);
  for (const [name, inner] of blocks) lines.push(...(lines.length > 0 ? [''] : []), `${name} {`, ...inner, '}');
  return lines.map((line) => line && `  ${line}`);
}

interface Content {
  attributes: [name: string, text: string][];
  blocks: [name: string, lines: string[]][];
}

function contentOf(value: Value, nameOf: NameOf, path: string): Content {
  const content: Content = { attributes: [], blocks: [] };
  for (const [key, one] of Object.entries(value)) {
    const at = path + key;
    const name = isNothing(one) ? undefined : nameOf(at);
    if (name === undefined) continue;
    if (name === '') {
      const { attributes, blocks } = contentOf(one as Value, nameOf, `${at}.`);
      content.attributes.push(...attributes);
      content.blocks.push(...blocks);
    } else if (isValue(one) || (Array.isArray(one) && isValue(one[0])))
      for (const inner of [one].flat() as Value[]) content.blocks.push([name, blockLines(inner, nameOf, `${at}.`)]);
    else content.attributes.push([name, literal(one)]);
  }
  return content;
}

const escapes: Readonly<Record<string, string>> = { '\\b': '\\u0008', '\\f': '\\u000c' };

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  const variable = withVariables(value, (name) => `var.${name.toLowerCase()}`);
  if (variable !== value) return variable;
  return JSON.stringify(value)
    .replace(/\\./g, (one) => escapes[one] ?? one)
    .replace(/[$%](?=\{)/g, '$&$&');
}

// A body has its properties in `properties`, and beside them what no other client takes in the same call.
function partsOf(body: unknown): { own: Value; around: string[] } {
  if (!isValue(body)) return { own: {}, around: [] };
  if (!isValue(body.properties)) return { own: body, around: [] };
  const around = Object.entries(body).filter(([name, value]) => name !== 'properties' && isValue(value));
  return {
    own: body.properties,
    around: around.filter(([, value]) => Object.keys(value as Value).length > 0).map(([name]) => name),
  };
}

const addressOf = ({ params, operation, region }: Call): Record<string, string> => ({
  ...(region !== undefined && { location: region.replaceAll('-', '/') }),
  ...Object.fromEntries(
    paramsIn(operation.path).flatMap((name) => {
      const value = params[name];
      return value === undefined ? [] : [[name, decodeURIComponent(value)]];
    }),
  ),
});

const paramsIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

// Everything that is set, by its path: `healthCheck.retries`, `logs.0.tag`; lists of words are one value.
function leavesOf(value: Value | readonly unknown[], path = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, one]): [string, unknown][] => {
    if (isNothing(one)) return [];
    const isInner = isValue(one) || (Array.isArray(one) && isValue(one[0]));
    return isInner ? leavesOf(one as Value, `${path}${name}.`) : [[path + name, one]];
  });
}

function needsOf(needs: readonly string[] = [], { params, operation, body }: Call): string[] {
  const { own } = partsOf(body);
  return [
    ...paramsIn(operation.path).filter((name) => params[name] === undefined),
    ...needs.filter((path) => isLacking(own, path.split('.'))),
  ];
}

// Whether it is not set where it belongs; in each of a list.
function isLacking(value: unknown, [name = '', ...rest]: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((one) => isLacking(one, [name, ...rest]));
  if (!isValue(value)) return false;
  return rest.length === 0 ? isNothing(value[name]) : isLacking(value[name], rest);
}
