// The pages that create and edit a resource: a form from the schema of the operation, the body as JSON, the commands of
// other clients, and the cost.
import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { call } from '../../api.ts';
import { Actions } from '../../components/button.tsx';
import { Draft } from '../../components/drafts.ts';
import { Select } from '../../components/field.tsx';
import { useAbortSignal, useResource } from '../../components/resource.ts';
import { Empty, Failure, Loaded } from '../../components/states.tsx';
import { perform as performing } from '../../components/toast.tsx';
import { go } from '../../router.ts';
import type { Facts } from '../../session.ts';
import { showAnswerSecret } from '../answer-secret.ts';
import type { Call } from '../client-commands/call.ts';
import { ClientCommands } from '../client-commands/client-commands.tsx';
import { extensionsOf } from '../extensions.ts';
import type { FieldSchema, Item, OperationModel, ResourceModel } from '../model.ts';
import {
  addressOf,
  follow,
  type Given,
  perform,
  refusalOfOperation,
  specialObstacle,
  untilDone,
} from '../operations.ts';
import { itemPath, missingParams, type Place, placeUrl } from '../place.ts';
import { CreationOpener } from '../schema-form/creation-opener.ts';
import { FormValue, type Json } from '../schema-form/form-value.ts';
import { Fields } from '../schema-form/schema-field.tsx';
import { choicesFor } from '../schema-form/sources.ts';
import { lower } from '../words.ts';
import { bodyOf, firstValue, schemaFor } from './body.ts';
import { CostLine } from './cost-line.tsx';
import { CreatedLater } from './created-later.tsx';
import { openCreation } from './creation-dialog.tsx';
import { FormFields } from './fields.tsx';
import { fittedValue, schemaOfKind, withNestedNames } from './kinds.ts';
import { NestedResources, precedingCalls, precedingStart, startOf, startValue } from './nested-resources.tsx';
import { formUrl, requestIn, storedBody } from './retry.ts';
import { showProblems } from './shown-problems.ts';
import { Sizes } from './sizes.tsx';
import { useSuggestions } from './suggestions.ts';

export interface FormPageProps {
  models: readonly ResourceModel[];
  place: Place;
  facts: Facts;
}

export function FormPage({ models, place, facts }: FormPageProps) {
  const { model, view, path } = place;
  const operation = view === 'new' ? model.create : model.change;
  const current = useResource(async (signal) => {
    if (view !== 'new') return { item: await call<Item>('GET', `${model.prefix}${path}?depth=1`, { signal }) };
    const request = requestIn(location.search);
    if (request === undefined || !operation) return {};
    return { stored: await storedBody(request, schemaFor(operation), signal) };
  });
  return (
    <>
      <h1 tabIndex={-1}>{view === 'new' ? operation?.title : `Edit ${lower(model.title)}`}</h1>
      {operation ? (
        <Loaded resource={current} what={model.title}>
          {({ item, stored }: { item?: Item; stored?: Json | undefined }) => {
            const obstacle =
              (item && specialObstacle(operation, item)) ?? refusalOfOperation(model, operation, place.params);
            return obstacle === undefined ? (
              <ResourceForm {...{ models, place, facts, operation, item, stored }} />
            ) : (
              <Empty text={obstacle}>
                <p>
                  <a href={placeUrl(model, path)}>{item ? `Open the ${lower(model.title)}` : model.titles}</a>
                </p>
              </Empty>
            );
          }}
        </Loaded>
      ) : (
        <p class="lead">
          The API cannot {view === 'new' ? 'create' : 'edit'} {lower(model.titles)}.
        </p>
      )}
    </>
  );
}

interface ResourceFormProps extends FormPageProps {
  operation: OperationModel;
  item: Item | undefined;
  stored: Json | undefined; // the body of a failed request
}

function ResourceForm({ models, place, facts, operation, item, stored }: ResourceFormProps) {
  const { model, path } = place;
  const schema = useMemo(() => schemaFor(operation), []);
  const start = startOf(model);
  const form = useMemo(() => {
    const empty = firstValue(schema, item);
    if (item || !start) return new FormValue(stored ?? empty);
    return new FormValue(stored ?? startValue(model, empty), (now, last) => fittedValue(start, now, last));
  }, []);
  const shown = item ? schema : schemaOfKind(start, schema, form.value.value);
  const missing = useMemo(() => missingParams(operation.path, place.params), []);
  const before = useMemo(() => new FormValue(item || stored ? {} : precedingStart(model)), []);
  const inPath = useMemo(() => new FormValue({}), []);
  const region = useSignal(facts.home);
  const isPlaced = model.isRegional && model.parent === undefined && !item; // nested ones are where their parent is
  const isBusy = useSignal(false);
  const isSaved = useRef(false);
  const box = useRef<HTMLFormElement>(null);
  const locked = item ? model.immutable.flatMap((name) => [name, `properties.${name}`]) : [];
  const choices = useMemo(() => choicesFor(models, model, place.params, (at) => form.at(at)), []);
  const back = placeUrl(model, path);
  const signal = useAbortSignal();
  useSuggestions(form, model, place.params, !item && stored === undefined);
  const given = () => ({
    params: { ...place.params, ...encoded(inPath.value.value) },
    body: item
      ? bodyOf(operation, form.value.value, item)
      : withNestedNames(start, bodyOf(operation, form.value.value, item)),
    ...(isPlaced && { region: region.value }),
  });
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy.value) return;
    const isReady = form.isReady(shown, item ? form.value.value : given().body);
    if (!inPath.isReady(pathSchema(missing)) || !isReady) return showProblems(box.current, form);
    isBusy.value = true;
    try {
      const problems = await problemsFound(model, form.at(['properties']), place.params, signal);
      if (Object.keys(problems).length > 0) {
        form.reject(problems);
        isBusy.value = false;
        return showProblems(box.current, form);
      }
      // Resources of preceding calls stay if the main call is refused. The next attempt uses them.
      for (const one of precedingCalls(models, model, form, before)) {
        const created = await perform(one.model, one.operation, { params: place.params, body: one.body });
        await untilDone(created);
        one.take(created);
      }
      const changed = await perform(model, operation, given());
      isSaved.current = true;
      const name = nameIn(form.value.value);
      showAnswerSecret(`${operation.title} ${name}`.trim(), changed.value);
      go(item ? back : (newUrl(model, path, changed.value) ?? back));
      const retry = item ? undefined : (request: string) => formUrl(model, path, request);
      performing(() => follow(`${operation.title} ${name}`.trim(), changed, retry));
    } catch (error) {
      form.take(error, schema);
      showProblems(box.current, form);
    }
    isBusy.value = false;
  };
  return (
    <CreationOpener.Provider value={openCreation}>
      <div class="form-page">
        <form ref={box} class="form panel" noValidate onSubmit={(event) => void send(event)}>
          <Draft isUnsaved={() => !isSaved.current && [form, before, inPath].some((one) => one.isChanged)} />
          {stored !== undefined && (
            <p class="form-note" role="status">
              Filled with the values of the failed request. Enter passwords and keys again: the region does not store
              them.
            </p>
          )}
          {isPlaced && (
            <Select
              title="Region"
              value={region.value}
              options={facts.regions.map((one) => [one, one])}
              onChange={(one) => {
                region.value = one;
              }}
            />
          )}
          <Fields form={inPath} schema={pathSchema(missing)} place={[]} locked={[]} choices={choices} />
          {!item && <Sizes model={model} form={form} />}
          <FormFields
            form={form}
            schema={shown}
            usual={model.columns}
            subject={model.title}
            item={item}
            locked={locked}
            choices={choices}
          />
          {!item && <NestedResources models={models} model={model} form={form} before={before} params={place.params} />}
          {!item && <CreatedLater models={models} model={model} />}
          <div class="form-end">
            <div class="problems">{form.others.value !== undefined && <Failure error={form.others.value} />}</div>
            {!item && <CostLine model={model} form={form} />}
            <Actions>
              <button type="submit" aria-disabled={isBusy.value || undefined}>
                {item ? 'Save' : operation.title}
              </button>
              <a class="button plain" href={back}>
                Cancel
              </a>
            </Actions>
          </div>
        </form>
        <ClientCommands
          call={{
            ...callOf(model, operation, given()),
            before: precedingCalls(models, model, form, before).map((one) => ({
              name: one.model.name,
              idAt: one.idAt,
              call: callOf(one.model, one.operation, { params: place.params, body: one.body }),
            })),
          }}
        />
      </div>
    </CreationOpener.Provider>
  );
}

// Problems that need other resources to be found.
async function problemsFound(
  { name }: ResourceModel,
  properties: Json | undefined,
  params: Place['params'],
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const checks = extensionsOf(name).flatMap(
    ({ check }) => check?.((properties ?? {}) as Item['properties'], params, signal) ?? [],
  );
  return Object.assign({}, ...(await Promise.all(checks)));
}

const callOf = (model: ResourceModel, operation: OperationModel, given: Given): Call => ({
  ...given,
  operation,
  url: location.origin + addressOf(model, operation, given),
  body: given.body,
});

// A schema for path parameters that the address of the page does not have.
const pathSchema = (names: readonly string[]): FieldSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});

const encoded = (value: Json): Record<string, string> =>
  Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([name, one]) => [name, encodeURIComponent(String(one))]),
  );

function nameIn(value: Json): string {
  const own = ((value as Record<string, Json>).properties ?? value) as Record<string, Json>;
  return typeof own.name === 'string' ? own.name : '';
}

// The page of the created resource.
const newUrl = (model: ResourceModel, path: string, created: Item | undefined): string | undefined =>
  created?.id === undefined || !model.hasPage || model.isReference
    ? undefined
    : placeUrl(model, itemPath(model, path, created));
