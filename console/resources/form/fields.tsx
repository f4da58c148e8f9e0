// The fields of a whole body: required and usual fields first, the rest folded. The body can also be edited as JSON.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { FieldSchema, Item } from '../model.ts';
import type { Choices } from '../schema-form/choice-source.ts';
import {
  type FormValue,
  isShownInForms,
  type Place,
  propertiesOf,
  requiredOf,
  typeOf,
} from '../schema-form/form-value.ts';
import { Fields, SchemaField } from '../schema-form/schema-field.tsx';
import { useUnreadable } from '../schema-form/unreadable.ts';
import { lower } from '../words.ts';
import { bodyFrom, isWrapped } from './body.ts';

export interface FormFieldsProps {
  form: FormValue;
  schema: FieldSchema;
  usual: readonly string[]; // properties that most people set
  subject: string; // the type of resource: Volume
  item: Item | undefined; // the resource that is edited; absent in a creation form
  locked: readonly string[];
  choices: Choices;
}

const fewFields = 8;

export function FormFields(props: FormFieldsProps) {
  const isJson = useSignal(false);
  const isUnread = props.form.problems.value[''] !== undefined;
  return (
    <>
      <p class="form-mode">
        <Button
          text={isJson.value ? (isUnread ? 'Back to the form, discard JSON' : 'Back to the form') : 'Edit as JSON'}
          look="plain"
          onPress={() => {
            isJson.value = !isJson.value;
          }}
        />
      </p>
      {isJson.value ? <JsonBody {...props} /> : <Parts {...props} />}
    </>
  );
}

function Parts({ form, schema, usual, subject, item, locked, choices }: FormFieldsProps) {
  const wrapped = isWrapped(schema);
  const place: Place = wrapped ? ['properties'] : [];
  const own = wrapped ? (propertiesOf(schema).find(([name]) => name === 'properties')?.[1] ?? {}) : schema;
  const settable = propertiesOf(own).filter(([, one]) => isShownInForms(one));
  const isOfFlags = settable.every(([name, one]) => name === 'name' || typeOf(one) === 'boolean');
  const isFirst = (name: string, one: FieldSchema): boolean =>
    settable.length <= fewFields ||
    isOfFlags ||
    requiredOf(own, form.at(place)).includes(name) ||
    usual.includes(name) ||
    one.examples !== undefined;
  const first = settable.filter(([name, one]) => isFirst(name, one)).map(([name]) => name);
  const others = settable.map(([name]) => name).filter((name) => !first.includes(name));
  const topLevel = wrapped ? propertiesOf(schema) : []; // next to `properties`
  const shared = { form, locked, choices };
  const byId = item === undefined ? topLevel.find(([name]) => name === 'id')?.[1] : undefined;
  if (settable.length === 1 && settable[0]?.[0] === 'id')
    return <SchemaField {...shared} schema={settable[0][1]} place={[...place, 'id']} isRequired title={subject} />;
  if (byId)
    return (
      <>
        <SchemaField {...shared} schema={byId} place={['id']} isRequired={false} title={`Existing ${lower(subject)}`} />
        <details class="more-fields">
          <summary>Or create a new one</summary>
          <div class="form">
            <Fields {...shared} schema={own} place={place} />
          </div>
        </details>
      </>
    );
  return (
    <>
      {settable.length === 0 && <p>This form has no fields.</p>}
      <Fields {...shared} schema={own} place={place} only={first} />
      {others.length > 0 && (
        <details class="more-fields">
          <summary>More settings</summary>
          <div class="form">
            <Fields {...shared} schema={own} place={place} only={others} />
          </div>
        </details>
      )}
    </>
  );
}

function JsonBody({ form, schema, item }: FormFieldsProps) {
  const id = useId();
  const text = useSignal(JSON.stringify(form.value.value, null, 2));
  const markUnreadable = useUnreadable(form, []);
  const problem = form.problems.value[''];
  return (
    <div class="field" data-place="">
      <label for={id}>Body</label>
      <textarea
        id={id}
        class="code"
        rows={18}
        spellcheck={false}
        aria-describedby={`${id}-wrong`}
        aria-invalid={problem !== undefined || undefined}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          try {
            form.value.value = bodyFrom(text.value, schema, item);
            markUnreadable(undefined);
          } catch (error) {
            markUnreadable(error instanceof Error ? error.message : 'Invalid JSON.');
          }
        }}
      />
      <p class="wrong" id={`${id}-wrong`} aria-live="polite">
        {problem ?? ''}
      </p>
    </div>
  );
}
