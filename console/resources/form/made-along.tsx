// What can be made along with a new thing: the boot volume and the NIC of a server in the same call, and the LAN that
// the NIC stands in by a call before.
import { useId, useLayoutEffect } from 'preact/hooks';
import type { Changed } from '../../api.ts';
import { extensionsOf } from '../extensions.ts';
import type { FieldSchema, Item, OperationModel, ResourceModel } from '../model.ts';
import type { Choices } from '../schema-form/choice-source.ts';
import { choicesOf, loadChoices } from '../schema-form/choices.tsx';
import { type FormValue, type Json, type Place, propertiesOf, typeOf } from '../schema-form/form-value.ts';
import { Fields } from '../schema-form/schema-field.tsx';
import { choicesFor } from '../schema-form/sources.ts';
import type { Along, FormStart, Kind, Needed } from './form-start.ts';
import { alongStart, askedOfAlong, kindOf, propertiesPlace } from './kinds.ts';

type Models = readonly ResourceModel[];

export const startOf = ({ name }: ResourceModel): FormStart | undefined =>
  extensionsOf(name).find(({ start }) => start)?.start;

// The value of a form that makes one.
export function startValue(model: ResourceModel, empty: Json): Json {
  const start = startOf(model);
  if (!start) return empty;
  if (start.along.length === 0) return { properties: start.properties };
  const entities = Object.fromEntries(start.along.map((one) => [one.in, alongStart(one, undefined)]));
  return { properties: start.properties, entities };
}

// What is made before, by the collection that needs it.
export const startBefore = (model: ResourceModel): Json =>
  Object.fromEntries(
    (startOf(model)?.along ?? []).flatMap(({ in: collection, needs }) =>
      needs ? [[collection, { properties: needs.properties }]] : [],
    ),
  );

export const isMadeAlong = (model: ResourceModel, name: string): boolean =>
  startOf(model)?.along.some(({ of }) => of === name) === true;

// A call that is made before, and where the id goes that it answers with.
export interface Before {
  model: ResourceModel;
  operation: OperationModel;
  body: Json;
  idAt: Place;
  take(made: Changed<Item>): void;
}

export function callsBefore(models: Models, model: ResourceModel, form: FormValue, before: FormValue): Before[] {
  return (startOf(model)?.along ?? []).flatMap((along): Before[] => {
    const { needs } = along;
    const body = before.at([along.in]);
    const needed = needs && modelOf(models, needs.of);
    if (!needs || !needed?.create || body === undefined || form.at(['entities', along.in]) === undefined) return [];
    const idAt = idPlace(along, needs);
    const take = ({ value }: Changed<Item>): void => {
      form.set(idAt, idIn(schemaOf(modelOf(models, along.of)), needs, value?.id ?? ''));
      before.set([along.in], undefined);
    };
    return [{ model: needed, operation: needed.create, body, idAt, take }];
  });
}

// Ids of LANs are numbers.
function idIn(schema: FieldSchema | undefined, { by }: Needed, id: string): Json {
  const property = propertiesOf(schema ?? {}).find(([name]) => name === by)?.[1] ?? {};
  return typeOf(property) === 'integer' ? Number(id) : id;
}

const idPlace = (along: Along, { by }: Needed): Place => [...propertiesPlace(along), by];

const modelOf = (models: Models, of: string): ResourceModel | undefined =>
  models.find(({ name, create, isReference }) => name === of && create && !isReference);

const schemaOf = (model: ResourceModel | undefined): FieldSchema | undefined =>
  propertiesOf(model?.create?.body ?? {}).find(([name]) => name === 'properties')?.[1];

export interface MadeAlongProps {
  models: Models;
  model: ResourceModel;
  form: FormValue;
  before: FormValue; // what is made before
  params: Readonly<Record<string, string>>;
}

export const MadeAlong = ({ model, ...props }: MadeAlongProps) => (
  <>
    {startOf(model)?.along.map((one) => (
      <AlongFields key={one.in} along={one} kind={kindOf(startOf(model), props.form.value.value)} {...props} />
    ))}
  </>
);

type AlongProps = Omit<MadeAlongProps, 'model'> & { along: Along };

function AlongFields({ along, kind, models, form, before, params }: AlongProps & { kind: Kind | undefined }) {
  const place = ['entities', along.in];
  const isMade = form.at(place) !== undefined;
  const warning = along.warnsOf?.((form.at(propertiesPlace(along)) ?? {}) as Readonly<Record<string, Json>>);
  const model = modelOf(models, along.of);
  const schema = schemaOf(model);
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
            onChange={(event) => form.set(place, event.currentTarget.checked ? alongStart(along, kind) : undefined)}
          />{' '}
          {along.title}
        </label>
      </legend>
      {isMade && (
        <>
          {along.needs && (
            <NeededFields {...{ along, needs: along.needs, models, form, before, params, schema, choices }} />
          )}
          <Fields
            form={form}
            schema={schema}
            place={propertiesPlace(along)}
            only={askedOfAlong(along, kind)}
            locked={[]}
            choices={choices}
          />
          {warning !== undefined && (
            <p class="warns" role="status">
              {warning}
            </p>
          )}
        </>
      )}
    </fieldset>
  );
}

const newOne = 'new';

interface NeededProps extends AlongProps {
  needs: Needed;
  schema: FieldSchema; // of what needs it
  choices: Choices;
}

// One of those that are there, or a new one, which is what the form begins with where there is none.
function NeededFields({ along, needs, models, form, before, params, schema, choices }: NeededProps) {
  const id = useId();
  const model = modelOf(models, needs.of);
  const ofNew = schemaOf(model);
  const at = idPlace(along, needs);
  const source = choices.of(at);
  const idOf = (text: string): Json => idIn(schema, needs, text);
  useLayoutEffect(() => {
    if (!source) return;
    loadChoices(source).then(
      (items) => {
        const first = items.find(needs.isBetter) ?? items[0];
        if (!first || form.at(at) !== undefined || before.isChanged) return;
        form.begin(at, idOf(first.id));
        before.begin([along.in], undefined);
      },
      () => undefined, // who may not see them can still make one
    );
  }, []);
  if (!model || !ofNew) return null;
  const chosen = form.at(at);
  return (
    <>
      <div class="field" data-place={at.join('.')}>
        <label for={id}>{model.title}</label>
        <select
          id={id}
          value={chosen === undefined ? newOne : String(chosen)}
          onChange={({ currentTarget: { value } }) => {
            form.set(at, value === newOne ? undefined : idOf(value));
            before.set([along.in], value === newOne ? { properties: needs.properties } : undefined);
          }}
        >
          <option value={newOne}>{needs.title}</option>
          {source &&
            choicesOf(source)?.map((one) => (
              <option key={one.value} value={one.value}>
                {one.text}
              </option>
            ))}
        </select>
        <p class="wrong" aria-live="polite">
          {form.problems.value[at.join('.')] ?? ''}
        </p>
      </div>
      {chosen === undefined && (
        <Fields
          form={before}
          schema={ofNew}
          place={[along.in, 'properties']}
          only={needs.only}
          locked={[]}
          choices={choicesFor(models, model, params)}
        />
      )}
    </>
  );
}
