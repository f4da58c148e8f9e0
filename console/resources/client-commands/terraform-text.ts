// The call as Terraform resources: one for the main resource with blocks for nested ones, and one per preceding call.

import {
  addressOf,
  type Call,
  type ClientText,
  isNothing,
  isValue,
  needsOf,
  nestedItemsIn,
  ownOf,
  type Value,
} from './call.ts';
import { clientNames, snakeCase, type TerraformNames } from './client-names.ts';
import { nestedNames } from './nested-names.ts';
import { withEscapes } from './shell.ts';
import { secretsIn, variableOf, withVariables } from './variables.ts';

export function terraformText(names: TerraformNames, call: Call): ClientText {
  const parent = nestedNames[call.operation.operation];
  const taken = new Set<string>(); // Terraform's resource has one block per collection
  const { nested, rest } = nestedItemsIn(call.body, (collection) => {
    const isFirst = parent?.inside[collection] !== undefined && !taken.has(collection);
    taken.add(collection);
    return isFirst;
  });
  const own = ownOf(call.body);
  const inside = insideOf(call.operation.operation, nested);
  const { text, leavesOut } = resourceText(
    { ...names, names: { ...names.names, ...inside.names } },
    { ...names.fixed, ...addressOf(call), ...own, ...inside.values },
    labelOf(own) ?? 'example',
  );
  const before = (call.before ?? []).map((one) => {
    const other = clientNames[one.call.operation.operation]?.terraform;
    return other ? resourceText(other, { ...addressOf(one.call), ...ownOf(one.call.body) }, one.name).text : '';
  });
  return {
    client: 'Terraform',
    text: [...variablesIn(call.body), ...before, text].join('\n\n'),
    leavesOut: [...leavesOut, ...rest],
    needs: needsOf(names.needs, call),
  };
}

// Terraform asks for each secret.
const variablesIn = (body: unknown): string[] =>
  secretsIn(JSON.stringify(body ?? null)).map(
    (name) => `variable "${name.toLowerCase()}" {\n  type      = string\n  sensitive = true\n}`,
  );

// Some properties of a nested resource belong to the main one, such as the image of the boot volume.
function insideOf(
  operation: string,
  nested: ReturnType<typeof nestedItemsIn>['nested'],
): { values: Value; names: Record<string, string> } {
  const values: Record<string, unknown> = {};
  const names: Record<string, string> = {};
  for (const { collection, own } of nested) {
    const {
      block,
      names: inner = {},
      outside = {},
    } = nestedNames[operation]?.inside[collection]?.terraform ?? { block: '' };
    const isOutside = (name: string): boolean => outside[name] !== undefined;
    for (const [name, value] of Object.entries(own)) if (isOutside(name)) values[name] = value;
    Object.assign(names, outside);
    values[block] = Object.fromEntries(Object.entries(own).filter(([name]) => !isOutside(name)));
    for (const [name, to] of Object.entries(inner)) names[`${block}.${name}`] = to;
  }
  return { values, names };
}

const labelOf = (own: Value): string | undefined => {
  const label = `${own.name ?? own.zoneName ?? ''}`.toLowerCase().replace(/[^a-z0-9_]+/g, '_');
  return /^[a-z]/.test(label) ? label : undefined;
};

function resourceText(names: TerraformNames, values: Value, label: string): { text: string; leavesOut: Set<string> } {
  const leavesOut = new Set<string>();
  const nameOf = (path: string): string | undefined =>
    names.lacks?.includes(path) ? undefined : (names.names?.[path] ?? snakeCase(path.split('.').at(-1) ?? ''));
  const body = blockLines(values, (path) => {
    const name = nameOf(path);
    if (name === undefined) leavesOut.add(path);
    return name;
  });
  return { text: [`resource "${names.type}" "${label}" {`, ...body, '}'].join('\n'), leavesOut };
}

type NameOf = (path: string) => string | undefined;

// Formatted like `terraform fmt`: attributes with aligned equals signs, then the blocks.
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

// The reference to the id of a preceding resource: LAN_ID becomes ionoscloud_lan.lan.id.
const idOf = new Map(
  Object.entries(clientNames).flatMap(([operation, { terraform }]) => {
    const name = operation.replace(/_create$/, '');
    return terraform ? [[variableOf(`${name}Id`), `${terraform.type}.${name}.id`] as const] : [];
  }),
);

const escapes: Readonly<Record<string, string>> = { '\\b': '\\u0008', '\\f': '\\u000c' };

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  const variable = withVariables(value, ({ kind, name }) =>
    kind === 'secret' ? `var.${name.toLowerCase()}` : (idOf.get(name) ?? ''),
  );
  if (variable !== value) return variable;
  return withEscapes(JSON.stringify(value), (code) => code)
    .replace(/\\./g, (one) => escapes[one] ?? one)
    .replace(/[$%](?=\{)/g, '$&$&');
}
