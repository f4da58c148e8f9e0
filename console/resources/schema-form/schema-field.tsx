// The field of a schema: a control for its type, or nested fields for lists and objects.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { FieldSchema } from '../model.ts';
import { labelOf, oneOf } from '../words.ts';
import { Control } from './control.tsx';
import {
  choicesIn,
  initialValue,
  isShownInForms,
  type Json,
  propertiesOf,
  rareIn,
  requiredOf,
  typeOf,
} from './form-value.ts';
import { Hint, Labelled, RequiredMark, type SchemaFieldProps, sentence } from './labelled.tsx';
import { useUnreadable } from './unreadable.ts';

export function SchemaField(props: SchemaFieldProps) {
  const { schema, form, place } = props;
  const type = typeOf(schema);
  if (isReference(schema)) return <ReferenceField {...props} />;
  if (type === 'object' && schema.properties) return <ObjectField {...props} />;
  if (type === 'object' && schema.additionalProperties) return <MapField {...props} />;
  if (type === 'array' && schema.items) return <ListField {...props} />;
  if (type === undefined && !choicesIn(schema)) return <JsonField {...props} />;
  if (type === 'object' || type === 'array') return <JsonField {...props} />;
  return (
    <Labelled {...props} isFlag={type === 'boolean'}>
      {(shared) => <Control {...props} shared={shared} value={form.at(place)} />}
    </Labelled>
  );
}

// A reference to another resource: the user selects the id, the platform adds type and href.
const isReference = (schema: FieldSchema): boolean => {
  const names = propertiesOf(schema).map(([name]) => name);
  return names.includes('id') && names.every((name) => ['id', 'type', 'href'].includes(name));
};

function ReferenceField({ schema, place, isRequired, title, ...props }: SchemaFieldProps) {
  const inside = propertiesOf(schema).find(([name]) => name === 'id')?.[1] ?? {};
  return (
    <SchemaField
      {...props}
      set={(id) => props.form.set(place, id === undefined ? undefined : { id })}
      schema={{ ...inside, ...(schema.description !== undefined && { description: schema.description }) }}
      place={[...place, 'id']}
      isRequired={isRequired}
      title={title ?? labelOf(place.at(-1) ?? '', schema)}
    />
  );
}

// An optional object is added by a button.
function ObjectField({ form, schema, place, isRequired, title, locked, choices }: SchemaFieldProps) {
  const isThere = isRequired || form.at(place) !== undefined;
  const name = title ?? labelOf(place.at(-1) ?? '', schema);
  return (
    <fieldset class={isThere ? 'inside' : 'inside empty'}>
      <legend>{name}</legend>
      {typeof schema.description === 'string' && (
        <p class="hint">
          <Hint text={sentence(schema.description)} />
        </p>
      )}
      {isThere ? (
        <>
          <FoldedFields form={form} schema={schema} place={place} locked={locked ?? []} choices={choices} />
          {!isRequired && (
            <Button text="Remove" look="plain" label={`Remove ${name}`} onPress={() => form.set(place, undefined)} />
          )}
        </>
      ) : (
        <Button text="Add" look="plain" label={`Add ${name}`} onPress={() => form.set(place, initialValue(schema))} />
      )}
    </fieldset>
  );
}

// Rarely used settings are folded, and stay folded while the user fills them in.
function FoldedFields(props: FieldsProps) {
  const { form, schema, place } = props;
  const rare = useMemo(() => rareIn(schema, form.at(place)), []);
  if (rare.length === 0) return <Fields {...props} />;
  const usual = propertiesOf(schema)
    .map(([name]) => name)
    .filter((name) => !rare.includes(name));
  return (
    <>
      <Fields {...props} only={usual} />
      <details class="more-fields">
        <summary>More settings</summary>
        <div class="form">
          <Fields {...props} only={rare} />
        </div>
      </details>
    </>
  );
}

export interface FieldsProps extends Pick<SchemaFieldProps, 'form' | 'schema' | 'place' | 'choices'> {
  locked: readonly string[];
  only?: readonly string[]; // default: all
}

// The fields of an object: the name, the required ones, then the others in their order.
export function Fields({ form, schema, place, locked, choices, only }: FieldsProps) {
  const required = requiredOf(schema, form.at(place));
  const fields = propertiesOf(schema).filter(([name, one]) => isShownInForms(one) && (only?.includes(name) ?? true));
  const rank = (name: string): number => (name === 'name' ? 0 : required.includes(name) ? 1 : 2);
  const position = (name: string): number => only?.indexOf(name) ?? 0;
  const inOrder = fields.toSorted(([a], [b]) => rank(a) - rank(b) || position(a) - position(b));
  return (
    <>
      {inOrder.map(([name, one]) => (
        <SchemaField
          key={name}
          form={form}
          schema={one}
          place={[...place, name]}
          isRequired={required.includes(name)}
          locked={locked}
          choices={choices}
        />
      ))}
    </>
  );
}

function ListField({ form, schema, place, isRequired, title, locked, choices }: SchemaFieldProps) {
  const items = (form.at(place) ?? []) as readonly Json[];
  const inside = schema.items as FieldSchema;
  const name = title ?? labelOf(place.at(-1) ?? '', schema);
  const isOfObjects = typeOf(inside) === 'object';
  const problem = form.problems.value[place.join('.')];
  return (
    <fieldset class={items.length > 0 ? 'inside' : 'inside empty'} data-place={place.join('.')}>
      <legend>
        {name}
        {isRequired && <RequiredMark />}
      </legend>
      {typeof schema.description === 'string' && (
        <p class="hint">
          <Hint text={sentence(schema.description)} />
        </p>
      )}
      {items.map((_, at) => (
        <div key={at} class={isOfObjects ? 'list-item' : 'list-item short'}>
          <SchemaField
            form={form}
            schema={inside}
            place={[...place, String(at)]}
            isRequired
            title={`${oneOf(name)} ${at + 1}`}
            locked={locked ?? []}
            choices={choices}
          />
          <Button
            text="Remove"
            look="plain"
            label={`Remove ${oneOf(name)} ${at + 1}`}
            onPress={() => form.set(place, without(items, at))}
          />
        </div>
      ))}
      <Button
        text="Add"
        look="plain"
        label={`Add to ${name}`}
        onPress={() => form.set(place, [...items, initialValue(inside)])}
      />
      {problem !== undefined && <p class="wrong">{problem}</p>}
    </fieldset>
  );
}

function without(items: readonly Json[], at: number): Json | undefined {
  const rest = items.toSpliced(at, 1);
  return rest.length > 0 ? rest : undefined;
}

// Free keys with values, one `name=value` per line.
function MapField({ form, schema, place, isRequired, title, locked, choices }: SchemaFieldProps) {
  const value = (form.at(place) ?? {}) as Record<string, Json>;
  const isOfNumbers = ['integer', 'number'].includes(typeOf(schema.additionalProperties as FieldSchema) ?? '');
  const text = useSignal(
    Object.entries(value)
      .map(([name, one]) => `${name}=${String(one)}`)
      .join('\n'),
  );
  const markUnreadable = useUnreadable(form, place);
  const onInput = (lines: string): void => {
    text.value = lines;
    const written = lines.split('\n').filter((line) => line.trim() !== '');
    const pairs = written.flatMap((line): [string, Json][] => {
      const [name = '', ...rest] = line.split('=');
      const given = rest.join('=').trim();
      return name.trim() === '' || given === '' ? [] : [[name.trim(), isOfNumbers ? Number(given) : given]];
    });
    form.set(place, pairs.length > 0 ? Object.fromEntries(pairs) : undefined);
    markUnreadable(pairs.length < written.length ? 'Each line must be name=value.' : undefined);
  };
  const shown = {
    ...schema,
    description: `${sentence(schema.description)} One \`name=value\` per line`.trim(),
  };
  return (
    <Labelled {...{ form, place, isRequired, choices, locked: locked ?? [], ...(title && { title }) }} schema={shown}>
      {(shared) => (
        <textarea
          {...shared}
          class="code grows"
          rows={2}
          value={text.value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

// Values without a matching control are edited as JSON.
function JsonField(props: SchemaFieldProps) {
  const { form, place, schema } = props;
  const text = useSignal(jsonText(form.at(place)));
  const markUnreadable = useUnreadable(form, place);
  const onInput = (written: string): void => {
    text.value = written;
    try {
      form.set(place, written.trim() === '' ? undefined : (JSON.parse(written) as Json));
      markUnreadable(undefined);
    } catch {
      markUnreadable('Invalid JSON.');
    }
  };
  return (
    <Labelled {...props} schema={{ ...schema, description: schema.description ?? 'As JSON' }}>
      {(shared) => (
        <textarea
          {...shared}
          class="code grows"
          rows={2}
          spellcheck={false}
          value={text.value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

const jsonText = (value: Json | undefined): string => (value === undefined ? '' : JSON.stringify(value, null, 2));
