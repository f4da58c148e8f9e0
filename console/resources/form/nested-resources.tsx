// Nested resources that a form creates with the main resource: the boot volume and the NIC of a server in the same
// call, and the LAN of the NIC by a preceding call.
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Changed } from '../../api.ts';
import { extensionsOf } from '../extensions.ts';
import type { FieldSchema, Item, OperationModel, ResourceModel } from '../model.ts';
import type { Choices } from '../schema-form/choice-source.ts';
import { choicesOf, loadChoices } from '../schema-form/choices.tsx';
import { type FormValue, type Json, type Place, propertiesOf, typeOf } from '../schema-form/form-value.ts';
import { Fields } from '../schema-form/schema-field.tsx';
import { choicesFor } from '../schema-form/sources.ts';
import type { FormStart, Kind, NestedResource, RequiredResource } from './form-start.ts';
import { kindOf, nestedStart, propertiesPlace, shownInNested } from './kinds.ts';

type Models = readonly ResourceModel[];

export const startOf = ({ name }: ResourceModel): FormStart | undefined =>
  extensionsOf(name).find(({ start }) => start)?.start;

// The initial value of a creation form.
export function startValue(model: ResourceModel, empty: Json): Json {
  const start = startOf(model);
  if (!start) return empty;
  if (start.nested.length === 0) return { properties: start.properties };
  const entities = Object.fromEntries(start.nested.map((one) => [one.in, nestedStart(one, undefined)]));
  return { properties: start.properties, entities };
}

// The initial values of resources that preceding calls create, by the collection that needs them.
export const precedingStart = (model: ResourceModel): Json =>
  Object.fromEntries(
    (startOf(model)?.nested ?? []).flatMap(({ in: collection, needs }) =>
      needs ? [[collection, { properties: needs.properties }]] : [],
    ),
  );

export const isNested = (model: ResourceModel, name: string): boolean =>
  startOf(model)?.nested.some(({ of }) => of === name) === true;

// A preceding call, and where the form needs the id of the created resource.
export interface PrecedingCall {
  model: ResourceModel;
  operation: OperationModel;
  body: Json;
  idAt: Place;
  take(created: Changed<Item>): void;
}

export function precedingCalls(
  models: Models,
  model: ResourceModel,
  form: FormValue,
  before: FormValue,
): PrecedingCall[] {
  return (startOf(model)?.nested ?? []).flatMap((nested): PrecedingCall[] => {
    const { needs } = nested;
    const body = before.at([nested.in]);
    const needed = needs && modelOf(models, needs.of);
    if (!needs || !needed?.create || body === undefined || form.at(['entities', nested.in]) === undefined) return [];
    const idAt = idPlace(nested, needs);
    const take = ({ value }: Changed<Item>): void => {
      form.set(idAt, idIn(schemaOf(modelOf(models, nested.of)), needs, value?.id ?? ''));
      before.set([nested.in], undefined);
    };
    return [{ model: needed, operation: needed.create, body, idAt, take }];
  });
}

// LAN ids are numbers.
function idIn(schema: FieldSchema | undefined, { by }: RequiredResource, id: string): Json {
  const property = propertiesOf(schema ?? {}).find(([name]) => name === by)?.[1] ?? {};
  return typeOf(property) === 'integer' ? Number(id) : id;
}

const idPlace = (nested: NestedResource, { by }: RequiredResource): Place => [...propertiesPlace(nested), by];

const modelOf = (models: Models, of: string): ResourceModel | undefined =>
  models.find(({ name, create, isReference }) => name === of && create && !isReference);

const schemaOf = (model: ResourceModel | undefined): FieldSchema | undefined =>
  propertiesOf(model?.create?.body ?? {}).find(([name]) => name === 'properties')?.[1];

export interface NestedResourcesProps {
  models: Models;
  model: ResourceModel;
  form: FormValue;
  before: FormValue; // values for preceding calls
  params: Readonly<Record<string, string>>;
}

export const NestedResources = ({ model, ...props }: NestedResourcesProps) => (
  <>
    {startOf(model)?.nested.map((one) => (
      <NestedFields key={one.in} nested={one} kind={kindOf(startOf(model), props.form.value.value)} {...props} />
    ))}
  </>
);

type NestedProps = Omit<NestedResourcesProps, 'model'> & { nested: NestedResource };

function NestedFields({ nested, kind, models, form, before, params }: NestedProps & { kind: Kind | undefined }) {
  const place = ['entities', nested.in];
  const isCreated = form.at(place) !== undefined;
  const warning = nested.warnsOf?.((form.at(propertiesPlace(nested)) ?? {}) as Readonly<Record<string, Json>>);
  const model = modelOf(models, nested.of);
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
            checked={isCreated}
            onChange={(event) => form.set(place, event.currentTarget.checked ? nestedStart(nested, kind) : undefined)}
          />{' '}
          {nested.title}
        </label>
      </legend>
      {isCreated && (
        <>
          {nested.needs && (
            <RequiredFields {...{ nested, needs: nested.needs, models, form, before, params, schema, choices }} />
          )}
          <Fields
            form={form}
            schema={schema}
            place={propertiesPlace(nested)}
            only={shownInNested(nested, kind)}
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

interface RequiredProps extends NestedProps {
  needs: RequiredResource;
  schema: FieldSchema; // of the nested resource
  choices: Choices;
}

// Selects an existing resource or a new one. A new one is preselected if none exists.
function RequiredFields({ nested, needs, models, form, before, params, schema, choices }: RequiredProps) {
  const id = useId();
  const model = modelOf(models, needs.of);
  const ofNew = schemaOf(model);
  const at = idPlace(nested, needs);
  const source = choices.of(at);
  const idOf = (text: string): Json => idIn(schema, needs, text);
  const existing = useRef<readonly Item[]>([]);
  const isNew = (): boolean => before.at([nested.in]) !== undefined;
  const nameAt = [nested.in, 'properties', 'name'];
  useLayoutEffect(() => {
    if (!source) return;
    loadChoices(source).then(
      (items) => {
        existing.current = items;
        const first = items.find(needs.isBetter) ?? items[0];
        if (!first && isNew() && before.at(nameAt) === undefined) before.begin(nameAt, needs.nameAfter(items));
        if (!first || form.at(at) !== undefined || before.isChanged) return;
        form.begin(at, idOf(first.id));
        before.begin([nested.in], undefined);
      },
      () => undefined, // a user who may not list them can still create one
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
            const created = { properties: { ...needs.properties, name: needs.nameAfter(existing.current) } };
            before.set([nested.in], value === newOne ? created : undefined);
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
          place={[nested.in, 'properties']}
          only={needs.only}
          locked={[]}
          choices={choicesFor(models, model, params)}
        />
      )}
    </>
  );
}
