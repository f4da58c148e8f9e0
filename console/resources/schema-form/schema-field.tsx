// The field of a schema: the control that suits its type, and for lists and objects the fields in them.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { FieldSchema } from '../model.ts';
import { isSecretName, wordsOf } from '../words.ts';
import { ChoiceControl, type Choices, type Shared } from './choices.tsx';
import { choicesIn, type FormValue, type Json, type Place, propertiesOf, requiredOf, typeOf } from './form-value.ts';

export interface SchemaFieldProps {
  form: FormValue;
  schema: FieldSchema;
  place: Place;
  isRequired: boolean;
  title?: string;
  locked?: readonly string[]; // places that can't be changed
  choices: Choices;
}

export function SchemaField(props: SchemaFieldProps) {
  const { schema, form, place } = props;
  const type = typeOf(schema);
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

interface LabelledProps extends SchemaFieldProps {
  isFlag?: boolean;
  children(shared: Shared): ComponentChildren;
}

function Labelled({ form, schema, place, isRequired, title, locked, isFlag, children }: LabelledProps) {
  const id = useId();
  const key = place.join('.');
  const problem = form.problems.value[key];
  const isLocked = locked?.includes(key) === true;
  const hint = hintOf(schema, isLocked);
  const label = (
    <label for={id}>
      {title ?? wordsOf(place.at(-1) ?? '')}
      {isRequired && (
        <span class="needed" aria-hidden="true">
          {' '}
          *
        </span>
      )}
    </label>
  );
  const shared: Shared = {
    id,
    'aria-describedby': `${id}-hint ${id}-wrong`,
    'aria-invalid': problem !== undefined || undefined,
    required: isRequired && !isFlag,
    disabled: isLocked,
  };
  return (
    <div class={isFlag ? 'field flag' : 'field'} data-place={key}>
      {!isFlag && label}
      {children(shared)}
      {isFlag && label}
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <p class="wrong" id={`${id}-wrong`} aria-live="polite">
        {problem ?? ''}
      </p>
    </div>
  );
}

function hintOf(schema: FieldSchema, isLocked: boolean): string {
  if (isLocked) return 'It can not be changed.';
  const said = typeof schema.description === 'string' ? `${schema.description}.`.replace(/\.\.$/, '.') : '';
  const { default: value } = schema;
  const isTold = typeof value === 'number' || (typeof value === 'string' && value !== '');
  const usual = isTold ? `Without it: ${value}.` : '';
  return [said, usual].filter(Boolean).join(' ');
}

function Control({
  form,
  schema,
  place,
  choices,
  shared,
  value,
}: SchemaFieldProps & { shared: Shared; value: Json | undefined }) {
  const set = (to: Json | undefined): void => form.set(place, to);
  const type = typeOf(schema);
  const listed = choicesIn(schema);
  const source = choices.of(place);
  if (type === 'boolean')
    return (
      <input
        {...shared}
        type="checkbox"
        checked={value === undefined ? schema.default === true : value === true}
        onChange={(event) => set(event.currentTarget.checked)}
      />
    );
  if (listed)
    return (
      <select
        {...shared}
        value={String(value ?? '')}
        onChange={(event) => set(chosen(listed, event.currentTarget.value))}
      >
        <option value="">
          {schema.default === undefined || schema.default === null ? '–' : `${String(schema.default)} (usual)`}
        </option>
        {listed.map((one) => (
          <option key={String(one)} value={String(one)}>
            {String(one)}
          </option>
        ))}
      </select>
    );
  if (source)
    return <ChoiceControl shared={shared} source={source} isNumber={type !== 'string'} value={value} set={set} />;
  if (type === 'integer' || type === 'number')
    return (
      <input
        {...shared}
        type="number"
        min={schema.minimum as number}
        max={schema.maximum as number}
        step={(schema.multipleOf as number | undefined) ?? (type === 'integer' ? 1 : 'any')}
        value={typeof value === 'number' ? value : ''}
        placeholder={exampleOf(schema)}
        onInput={(event) => set(event.currentTarget.value === '' ? undefined : event.currentTarget.valueAsNumber)}
      />
    );
  const text = typeof value === 'string' ? value : '';
  const onInput = (event: { currentTarget: { value: string } }): void => set(event.currentTarget.value || undefined);
  if (isLong(schema, place))
    return <textarea {...shared} class="code" rows={6} spellcheck={false} value={text} onInput={onInput} />;
  if (isSecretName(place.at(-1) ?? ''))
    return <input {...shared} type="password" autocomplete="new-password" value={text} onInput={onInput} />;
  return <input {...shared} autocomplete="off" value={text} placeholder={exampleOf(schema)} onInput={onInput} />;
}

const chosen = (listed: readonly (string | number | boolean)[], text: string): Json | undefined =>
  listed.find((one) => String(one) === text);

const isLong = ({ maxLength }: FieldSchema, place: Place): boolean =>
  (typeof maxLength === 'number' && maxLength > 4096) ||
  /^(?:certificate|certificateChain|privateKey|userData|content)$/.test(place.at(-1) ?? '');

function exampleOf({ examples }: FieldSchema): string {
  const [first] = Array.isArray(examples) ? examples : [];
  return typeof first === 'string' || typeof first === 'number' ? String(first) : '';
}

// An object that may be left out is begun by a button.
function ObjectField({ form, schema, place, isRequired, title, locked, choices }: SchemaFieldProps) {
  const isThere = isRequired || form.at(place) !== undefined;
  const name = title ?? wordsOf(place.at(-1) ?? '');
  return (
    <fieldset class="inside">
      <legend>{name}</legend>
      {isThere ? (
        <>
          <Fields form={form} schema={schema} place={place} locked={locked ?? []} choices={choices} />
          {!isRequired && (
            <Button
              text="Leave out"
              look="plain"
              label={`Leave out ${name}`}
              onPress={() => form.set(place, undefined)}
            />
          )}
        </>
      ) : (
        <Button text="Add" look="plain" label={`Add ${name}`} onPress={() => form.set(place, {})} />
      )}
    </fieldset>
  );
}

export interface FieldsProps extends Pick<SchemaFieldProps, 'form' | 'schema' | 'place' | 'choices'> {
  locked: readonly string[];
  only?: readonly string[]; // absent: all
}

// The fields of an object: needed ones first, in their order.
export function Fields({ form, schema, place, locked, choices, only }: FieldsProps) {
  const required = requiredOf(schema);
  const fields = propertiesOf(schema).filter(([name, one]) => one.readOnly !== true && (only?.includes(name) ?? true));
  const inOrder = [
    ...fields.filter(([name]) => required.includes(name)),
    ...fields.filter(([name]) => !required.includes(name)),
  ];
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
  const name = title ?? wordsOf(place.at(-1) ?? '');
  const isOfObjects = typeOf(inside) === 'object';
  const problem = form.problems.value[place.join('.')];
  return (
    <fieldset class="inside" data-place={place.join('.')}>
      <legend>
        {name}
        {isRequired && ' *'}
      </legend>
      {typeof schema.description === 'string' && <p class="hint">{schema.description}</p>}
      {items.map((_, at) => (
        <div key={at} class="list-item">
          <SchemaField
            form={form}
            schema={inside}
            place={[...place, String(at)]}
            isRequired
            title={`${name} ${at + 1}`}
            locked={locked ?? []}
            choices={choices}
          />
          <Button
            text="Remove"
            look="plain"
            label={`Remove ${name} ${at + 1}`}
            onPress={() => form.set(place, without(items, at))}
          />
        </div>
      ))}
      <Button
        text="Add"
        look="plain"
        label={`Add to ${name}`}
        onPress={() => form.set(place, [...items, isOfObjects ? {} : ''])}
      />
      {problem !== undefined && <p class="wrong">{problem}</p>}
    </fieldset>
  );
}

function without(items: readonly Json[], at: number): Json | undefined {
  const rest = items.toSpliced(at, 1);
  return rest.length > 0 ? rest : undefined;
}

// Keys of the user's own, each with a value: a line each.
function MapField({ form, schema, place, isRequired, title, locked, choices }: SchemaFieldProps) {
  const value = (form.at(place) ?? {}) as Record<string, Json>;
  const isOfNumbers = ['integer', 'number'].includes(typeOf(schema.additionalProperties as FieldSchema) ?? '');
  const text = useSignal(
    Object.entries(value)
      .map(([name, one]) => `${name}=${String(one)}`)
      .join('\n'),
  );
  const onInput = (lines: string): void => {
    text.value = lines;
    const pairs = lines.split('\n').flatMap((line): [string, Json][] => {
      const [name = '', ...rest] = line.split('=');
      const given = rest.join('=').trim();
      return name.trim() === '' || given === '' ? [] : [[name.trim(), isOfNumbers ? Number(given) : given]];
    });
    form.set(place, pairs.length > 0 ? Object.fromEntries(pairs) : undefined);
  };
  const shown = { ...schema, description: `${schema.description ?? ''} One in each line, as name=value`.trim() };
  return (
    <Labelled {...{ form, place, isRequired, choices, locked: locked ?? [], ...(title && { title }) }} schema={shown}>
      {(shared) => (
        <textarea
          {...shared}
          class="code"
          rows={3}
          value={text.value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

// What no control suits is written as JSON.
function JsonField(props: SchemaFieldProps) {
  const { form, place, schema } = props;
  const text = useSignal(jsonText(form.at(place)));
  const onInput = (written: string): void => {
    text.value = written;
    const key = place.join('.');
    try {
      form.set(place, written.trim() === '' ? undefined : (JSON.parse(written) as Json));
    } catch {
      form.problems.value = { ...form.problems.value, [key]: 'This is not JSON.' };
    }
  };
  return (
    <Labelled {...props} schema={{ ...schema, description: schema.description ?? 'As JSON' }}>
      {(shared) => (
        <textarea
          {...shared}
          class="code"
          rows={4}
          spellcheck={false}
          value={text.value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

const jsonText = (value: Json | undefined): string => (value === undefined ? '' : JSON.stringify(value, null, 2));
