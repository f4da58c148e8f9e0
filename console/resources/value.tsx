// Renders property values: short in table cells, in full on the page of a resource.
import type { ComponentChildren } from 'preact';
import { nameIn } from '../../src/core/display-name.ts';
import { call } from '../api.ts';
import { useResource } from '../components/resource.ts';
import { Badge, type BadgeProps } from '../components/text.tsx';
import { dateText } from '../times.ts';
import type { FieldSchema, Item } from './model.ts';
import { knownModels, pageUrlAt, pathOf } from './page-urls.ts';
import { amountText, fieldIn, labelIn, stateText } from './words.ts';

const good = /^(?:AVAILABLE|ACTIVE|RUNNING|DONE|READY|SUCCESSFUL|VALID|ENABLED|CONFIRMED)$/i;
const waits = /^(?:BUSY|PROVISIONING|DEPLOYING|UPDATING|CREATING|QUEUED|IN_PROGRESS|PENDING|PAUSED)$/i;
const fails = /^(?:FAILED|ERROR|UNAVAILABLE|CRASHED|BLOCKED|DESTROYING|DELETING|EXPIRED)$/i;

export const lookOf = (state: string): BadgeProps['look'] =>
  good.test(state) ? 'good' : waits.test(state) ? 'waits' : fails.test(state) ? 'fires' : 'old';

export const State = ({ state }: { state: string }) => <Badge look={lookOf(state)} text={stateText(state)} />;

const isState = (name: string): boolean => /(?:state|status)$/i.test(name);
const isDate = (value: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value);

export function shortValue(name: string, value: unknown, schema: FieldSchema = {}): ComponentChildren {
  if (value === null || value === undefined || value === '') return <span class="none">–</span>;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return amountText(name, value, schema['x-unit']);
  if (typeof value === 'string')
    return isState(name) ? <State state={value} /> : isDate(value) ? dateText(value) : value;
  if (Array.isArray(value)) return value.length === 0 ? <span class="none">–</span> : value.map(plain).join(', ');
  return plain(value);
}

const plain = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

const shortLength = 24; // several short values fit in one row

// Renders the complete value.
function FullValue({ name, value, schema }: { name: string; value: unknown; schema: FieldSchema }) {
  if (Array.isArray(value) && value.length > 0) {
    if (value.every((one) => typeof one !== 'object' || one === null))
      return (
        <ul class={value.every((one) => plain(one).length <= shortLength) ? 'values in-row' : 'values'}>
          {value.map((one, at) => (
            <li key={at}>{plain(one)}</li>
          ))}
        </ul>
      );
    return (
      <ol class="values nested">
        {value.map((one, at) => (
          <li key={at}>
            <FullValue name={name} value={one} schema={(schema.items ?? {}) as FieldSchema} />
          </li>
        ))}
      </ol>
    );
  }
  if (isReference(value)) return <Reference key={value.href} {...value} />;
  if (typeof value === 'string' && value.startsWith(`${location.origin}/console`)) return <a href={value}>{value}</a>;
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.keys(value).length === 0 ? (
      <span class="none">–</span>
    ) : (
      <Properties values={value as Record<string, unknown>} schema={schema} />
    );
  if (typeof value === 'string' && (value.includes('\n') || value.length > 300))
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      <pre class="long-text" tabIndex={0}>
        {value}
      </pre>
    );
  return <>{shortValue(name, value, schema)}</>;
}

interface Referred {
  id: string;
  href: string;
  type?: string;
}

// A reference to another resource in a property: id, type and href.
const isReference = (value: unknown): value is Referred =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Referred).id === 'string' &&
  typeof (value as Referred).href === 'string';

// Shows the name of a referenced resource if the user may read it, with a link to its page if there is one.
export function Reference({ id, href, type = '' }: Referred) {
  const path = pathOf(href);
  const found = useResource(async (signal) => {
    const [models, item] = await Promise.all([
      knownModels(),
      call<Item>('GET', `${path}?depth=1`, { signal }).catch(() => undefined),
    ]);
    return { url: item && pageUrlAt(models, path), name: item && nameIn(item.properties ?? {}) };
  }).answer.value;
  const { url, name } = found && 'value' in found ? found.value : {};
  const text = name ?? `${type} ${id}`.trim();
  if (url !== undefined) return <a href={url}>{text}</a>;
  return name === undefined ? <code>{text}</code> : <span>{text}</span>;
}

interface PropertiesProps {
  values: Readonly<Record<string, unknown>>;
  schema?: FieldSchema; // for labels, and for the properties to hide
  cells?: Readonly<Record<string, ComponentChildren>>; // custom cells by property
}

export const Properties = ({ values, schema = {}, cells = {} }: PropertiesProps) => (
  <dl class="properties">
    {Object.entries(values)
      .filter(([name]) => fieldIn(schema, name)['x-asked'] !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt title={name}>{labelIn(schema, name)}</dt>
          <dd>{cells[name] ?? <FullValue name={name} value={value} schema={fieldIn(schema, name)} />}</dd>
        </div>
      ))}
  </dl>
);
