// What can be made along with a new thing, in the same call: the boot volume and the NIC of a server.
import type { Along, FormStart } from './extension.ts';
import { extensionsOf } from './extensions.ts';
import type { ResourceModel } from './model.ts';
import type { Choices } from './schema-form/choices.tsx';
import { type FormValue, type Json, propertiesOf } from './schema-form/form-value.ts';
import { Fields } from './schema-form/schema-field.tsx';
import { choicesFor } from './schema-form/sources.ts';

const startOf = ({ name }: ResourceModel): FormStart | undefined =>
  extensionsOf(name).find(({ start }) => start)?.start;

const madeOf = ({ properties }: Along): Json => ({ items: [{ properties }] });

// The value of a form that makes one.
export function startValue(model: ResourceModel, empty: Json): Json {
  const start = startOf(model);
  if (!start) return empty;
  const entities = Object.fromEntries(start.along.map((one) => [one.in, madeOf(one)]));
  return { properties: start.properties, entities };
}

export interface MadeAlongProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
  form: FormValue;
  params: Readonly<Record<string, string>>;
}

export const MadeAlong = ({ model, ...props }: MadeAlongProps) => (
  <>
    {startOf(model)?.along.map((one) => (
      <AlongFields key={one.in} along={one} {...props} />
    ))}
  </>
);

function AlongFields({ along, models, form, params }: Omit<MadeAlongProps, 'model'> & { along: Along }) {
  const place = ['entities', along.in];
  const isMade = form.at(place) !== undefined;
  const model = models.find(({ name, create, isReference }) => name === along.of && create && !isReference);
  const schema = propertiesOf(model?.create?.body ?? {}).find(([name]) => name === 'properties')?.[1];
  if (!model || !schema) return null;
  const own = choicesFor(models, model, params);
  const choices: Choices = { of: (at) => own.of(at.slice(-2)) };
  return (
    <fieldset class="inside">
      <legend>
        <label>
          <input
            type="checkbox"
            checked={isMade}
            onChange={(event) => form.set(place, event.currentTarget.checked ? madeOf(along) : undefined)}
          />{' '}
          {along.title}
        </label>
      </legend>
      {isMade && (
        <Fields
          form={form}
          schema={schema}
          place={[...place, 'items', '0', 'properties']}
          only={along.only}
          locked={[]}
          choices={choices}
        />
      )}
    </fieldset>
  );
}
