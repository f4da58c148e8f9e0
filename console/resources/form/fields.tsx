// The fields of a whole body: what is needed or usual stands first, the rest can be unfolded; or all of it as JSON.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button.tsx';
import { Draft } from '../../components/drafts.ts';
import type { FieldSchema } from '../model.ts';
import type { Choices } from '../schema-form/choices.tsx';
import {
  type FormValue,
  isAsked,
  type Json,
  type Place,
  propertiesOf,
  requiredOf,
  typeOf,
} from '../schema-form/form-value.ts';
import { Fields, SchemaField } from '../schema-form/schema-field.tsx';
import { isWrapped } from './body.ts';

export interface FormFieldsProps {
  form: FormValue;
  schema: FieldSchema;
  usual: readonly string[]; // properties that most people set
  subject: string; // what it makes: Volume
  isNew: boolean;
  locked: readonly string[];
  choices: Choices;
}

const fewFields = 8;

export function FormFields(props: FormFieldsProps) {
  const isJson = useSignal(false);
  return (
    <>
      <p class="form-mode">
        <Button
          text={isJson.value ? 'Back to the form' : 'Edit as JSON'}
          look="plain"
          onPress={() => {
            isJson.value = !isJson.value;
          }}
        />
      </p>
      {isJson.value ? <JsonBody form={props.form} /> : <Parts {...props} />}
    </>
  );
}

function Parts({ form, schema, usual, subject, isNew, locked, choices }: FormFieldsProps) {
  const wrapped = isWrapped(schema);
  const place: Place = wrapped ? ['properties'] : [];
  const own = wrapped ? (propertiesOf(schema).find(([name]) => name === 'properties')?.[1] ?? {}) : schema;
  const settable = propertiesOf(own).filter(([, one]) => isAsked(one));
  const isOfFlags = settable.every(([name, one]) => name === 'name' || typeOf(one) === 'boolean'); // such as rights
  const isFirst = (name: string, one: FieldSchema): boolean =>
    settable.length <= fewFields ||
    isOfFlags ||
    requiredOf(own).includes(name) ||
    usual.includes(name) ||
    one.examples !== undefined;
  const first = settable.filter(([name, one]) => isFirst(name, one)).map(([name]) => name);
  const others = settable.map(([name]) => name).filter((name) => !first.includes(name));
  const beside = wrapped ? propertiesOf(schema) : []; // of the properties
  const shared = { form, locked, choices };
  const byId = isNew ? beside.find(([name]) => name === 'id')?.[1] : undefined;
  if (settable.length === 1 && settable[0]?.[0] === 'id')
    return <SchemaField {...shared} schema={settable[0][1]} place={[...place, 'id']} isRequired title={subject} />;
  if (byId)
    return (
      <>
        <SchemaField {...shared} schema={byId} place={['id']} isRequired={false} title={`${subject} that is there`} />
        <details class="more-fields">
          <summary>Or make a new one</summary>
          <div class="form">
            <Fields {...shared} schema={own} place={place} />
          </div>
        </details>
      </>
    );
  return (
    <>
      {settable.length === 0 && <p>There is nothing to fill in.</p>}
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

function JsonBody({ form }: { form: FormValue }) {
  const text = useSignal(JSON.stringify(form.value.value, null, 2));
  const problem = useSignal('');
  return (
    <label class="field">
      Body
      <Draft isUnsaved={() => problem.value !== ''} />
      <textarea
        class="code"
        rows={18}
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          try {
            form.value.value = JSON.parse(text.value) as Json;
            problem.value = '';
          } catch (error) {
            problem.value = error instanceof Error ? error.message : 'This is not JSON.';
          }
        }}
      />
      <span class="wrong" role="status">
        {problem.value}
      </span>
    </label>
  );
}
