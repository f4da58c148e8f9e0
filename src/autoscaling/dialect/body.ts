// Bodies of the auto scaling service. In addition to the declared camelCase spelling, the names of declarative
// configuration are accepted (`datacenter_id`, `min_replica_count`, `nic`, `volume`). An empty text means "not set":
// clients send it for unset fields.
import { Fault, mostProblems } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { Sent } from '../../core/operation/draft.ts';
import type { Resource } from '../../core/resource.ts';
import { report, type Way } from '../../core/schema.ts';
import { propertiesSchema } from '../../surface/docs/openapi.ts';

const renamed: Readonly<Record<string, string>> = { nic: 'nics', volume: 'volumes' };
const lists = ['nics', 'volumes'];

// A declarative configuration has no `properties` around its fields.
export function declaredSpelling(body: Json | undefined): Json | undefined {
  if (!isObject(body)) return body;
  const isBare = body.properties === undefined && Object.keys(body).some((key) => key.includes('_'));
  const spelled = spell(isBare ? { properties: body } : body);
  const { properties } = spelled;
  if (!isObject(properties) || properties.datacenterId === undefined) return spelled;
  const { datacenterId, ...rest } = properties;
  return { ...spelled, properties: { datacenter: { id: datacenterId }, ...rest } };
}

function spell(sent: Values): Values {
  const spelled: Values = {};
  for (const [key, value] of Object.entries(sent)) {
    if (value === '' && key !== 'name') continue;
    const camel = key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    const name = renamed[camel] ?? camel;
    const inner = spellInside(value);
    spelled[name] = lists.includes(name) && isObject(inner) ? [inner] : inner;
  }
  return spelled;
}

const spellInside = (value: Json): Json =>
  Array.isArray(value) ? value.map(spellInside) : isObject(value) ? spell(value) : value;

// Clients may send back what they have read. A PUT is complete: it has everything that a POST needs.
export function readSent(resource: Resource, way: Way, body: Json | undefined): Sent {
  if (body === undefined) return { properties: undefined };
  if (!isObject(body)) throw new Fault('refused', '[(root)] An object is expected');
  const problems: Sent['problems'] = [];
  for (const key in body) {
    if (problems.length >= mostProblems) break;
    if (!known.includes(key)) report(problems, `(root).${key}`, 'Attribute is unknown', '106');
  }
  const { properties = {} } = body;
  if (way === 'replace' && isObject(properties))
    for (const [name, { required }] of Object.entries(resource.properties))
      if (required && properties[name] === undefined)
        report(problems, `(root).properties.${name}`, 'Attribute is required', '100');
  return { id: body.id ?? undefined, properties, problems };
}

const known = ['properties', 'id', 'type', 'href', 'metadata', 'entities', 'startedActions'];

export function bodySchema(resource: Resource, way: Way): Values {
  return {
    type: 'object',
    required: ['properties'],
    properties: {
      properties: { ...propertiesSchema(resource.properties, way), ...(way === 'replace' && whole(resource)) },
    },
  };
}

const whole = ({ properties }: Resource): Values => ({
  required: Object.keys(properties).filter((name) => properties[name]?.required),
});
