// Deletes one or several resources after a dialog has listed what they contain. If a resource contains others, the user
// must type its name.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { ApiError, call, sentencesOf } from '../api.ts';
import { Actions, Button } from '../components/button.tsx';
import { confirm } from '../components/confirm.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Failure } from '../components/states.tsx';
import { failureToast, perform as performing, toast } from '../components/toast.tsx';
import type { Dependent } from './dependent.ts';
import { extensionsOf } from './extensions.ts';
import type { ListModel } from './list-model.ts';
import type { Item, OperationModel, ResourceModel } from './model.ts';
import { querySchema, textsOf } from './operation-dialog.tsx';
import { follow, perform } from './operations.ts';
import { filled, itemPath, matched, nameOf } from './place.ts';
import { FormValue } from './schema-form/form-value.ts';
import { Fields } from './schema-form/schema-field.tsx';
import { lower } from './words.ts';

export interface RemovalProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
  item: Item;
  path: string;
  onRemoved(): void;
}

export function openRemoval(props: RemovalProps): void {
  const { remove } = props.model;
  if (remove) openDialog((close) => <Removal {...props} remove={remove} close={close} />);
}

interface Contents {
  title: string;
  names: readonly string[];
  more: boolean;
}

const maxNamed = 200;

// The types of resources that are deleted with their parent.
const kindsInside = (models: readonly ResourceModel[], { service, collection }: ResourceModel): ResourceModel[] =>
  models.filter((one) => one.service === service && one.parent === collection && !one.isReference);

// The nested resources by type.
async function contentsOf({ models, model, path }: RemovalProps, signal: AbortSignal): Promise<Contents[]> {
  const params = matched(model.item ?? '', path) ?? {};
  const found = await Promise.all(
    kindsInside(models, model).map(async (child): Promise<Contents> => {
      const address = `${child.prefix}${filled(child.collection, params)}?depth=1&limit=${maxNamed}`;
      const { items = [] } = await call<{ items?: Item[] }>('GET', address, { signal });
      const names = items.map((one) => nameOf({ ...one, properties: one.properties ?? {} }));
      return { title: items.length === 1 ? child.title : child.titles, names, more: items.length === maxNamed };
    }),
  );
  return found.filter(({ names }) => names.length > 0);
}

type Hook = 'leftBehind' | 'heldBy';

const dependentsOf = async (hook: Hook, { model, item }: RemovalProps, signal: AbortSignal): Promise<Dependent[]> =>
  (await Promise.all(extensionsOf(model.name).map((one) => one[hook]?.(item, signal) ?? []))).flat();

const shownNames = 6;

const contentsText = ({ title, names, more }: Contents): string => {
  const listed = names.slice(0, shownNames).join(', ');
  return `${names.length}${more ? ' or more' : ''} ${title}: ${listed}${names.length > shownNames ? ' …' : ''}`;
};

function Removal(props: RemovalProps & { remove: OperationModel; close(): void }) {
  const { model, item, path, onRemoved, remove, close } = props;
  const contents = useSignal<readonly Contents[] | undefined>(undefined);
  const leftBehind = useSignal<readonly Dependent[]>([]);
  const heldBy = useSignal<readonly Dependent[]>([]);
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const isUnknown = useSignal(false); // the contents could not be listed
  const written = useSignal('');
  const query = useMemo(() => new FormValue({}), []);
  const name = nameOf(item);
  useLayoutEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const all = [
      contentsOf(props, signal),
      dependentsOf('leftBehind', props, signal),
      dependentsOf('heldBy', props, signal),
    ] as const;
    Promise.all(all).then(
      ([found, others, holders]) => {
        leftBehind.value = others;
        heldBy.value = holders;
        contents.value = found;
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        failure.value = error;
        isUnknown.value = true;
        contents.value = [];
      },
    );
    return () => controller.abort();
  }, []);
  const asksName = (isUnknown.value || (contents.value?.length ?? 0) > 0) && remove.title === 'Delete';
  const isSure = contents.value !== undefined && heldBy.value.length === 0 && (!asksName || written.value === name);
  const act = async (): Promise<void> => {
    if (!isSure || isBusy.value) return;
    isBusy.value = true;
    try {
      const params = matched(model.item ?? '', path) ?? {};
      const changed = await perform(model, remove, { params, query: textsOf(query.value.value) });
      close();
      onRemoved();
      performing(() => follow(`${remove.title} ${name}`, changed));
    } catch (error) {
      failure.value = error;
    }
    isBusy.value = false;
  };
  return (
    <Dialog title={`${remove.title} ${name}?`} close={close}>
      {contents.value === undefined ? (
        <p role="status">Checking the contents …</p>
      ) : asksName ? (
        <>
          <p>{isUnknown.value ? 'Could not list the contents. They are deleted, too.' : 'This also deletes:'}</p>
          <ul class="removal-list">
            {contents.value.map((one) => (
              <li key={one.title}>{contentsText(one)}</li>
            ))}
          </ul>
        </>
      ) : (
        <p>{remove.title === 'Delete' ? 'This cannot be undone.' : `${remove.summary}.`}</p>
      )}
      <Dependents title="These stay but stop working:" dependents={leftBehind.value} />
      <Dependents title="It cannot be deleted while these use it:" dependents={heldBy.value} />
      {remove.query.length > 0 && (
        <Fields form={query} schema={querySchema(remove)} place={[]} locked={[]} choices={{ of: () => undefined }} />
      )}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void act();
        }}
      >
        {asksName && (
          <label class="field">
            Type the name to confirm
            <input
              autocomplete="off"
              placeholder={name}
              value={written.value}
              onInput={(event) => {
                written.value = event.currentTarget.value;
              }}
            />
          </label>
        )}
        <Actions>
          <button type="submit" class="danger" disabled={!isSure || isBusy.value}>
            {remove.title}
          </button>
          <Button text="Cancel" look="plain" takesFocus={!asksName} onPress={close} />
        </Actions>
      </form>
      <div class="problems">{failure.value !== undefined && <Failure error={failure.value} />}</div>
    </Dialog>
  );
}

const Dependents = ({ title, dependents }: { title: string; dependents: readonly Dependent[] }) =>
  dependents.length === 0 ? null : (
    <>
      <p>{title}</p>
      <ul class="removal-list">
        {dependents.map(({ kind, name, url }) => (
          <li key={url}>
            {kind} <a href={url}>{name}</a>
          </li>
        ))}
      </ul>
    </>
  );

// `3 servers`
export const countedAs = ({ title, titles }: ResourceModel, count: number): string =>
  `${count.toLocaleString()} ${lower(count === 1 ? title : titles)}`;

export const namesOf = (items: readonly Item[]): string =>
  `${items
    .slice(0, shownNames + 1)
    .map(nameOf)
    .join(', ')}${items.length > shownNames + 1 ? ' …' : ''}`;

function insideText(models: readonly ResourceModel[], model: ResourceModel): string[] {
  const titles = kindsInside(models, model).map((one) => lower(one.titles));
  return titles.length === 0 ? [] : [`Resources inside are deleted, too: ${titles.join(', ')}.`];
}

const atOnce = 4;

interface ChosenProps {
  models: readonly ResourceModel[];
  list: ListModel;
  items: readonly Item[];
  path: string;
}

// Deletes several rows of a list and reports the errors of those that can't be deleted.
export function removeChosen({ models, list, items, path }: ChosenProps): void {
  const { model } = list;
  const { remove } = model;
  if (!remove) return;
  confirm({
    title: `${remove.title} ${countedAs(model, items.length)}?`,
    text: [`${namesOf(items)}.`, ...(remove.title === 'Delete' ? insideText(models, model) : [])].join(' '),
    action: remove.title,
    act: async () => {
      const waiting = [...items];
      const failures: string[] = [];
      const work = async (): Promise<void> => {
        for (let item = waiting.shift(); item; item = waiting.shift()) {
          const params = matched(model.item ?? '', itemPath(model, path, item)) ?? {};
          await perform(model, remove, { params }).catch((error: unknown) => {
            failures.push(`${nameOf(item as Item)}: ${sentencesOf(error).join(' ')}`);
          });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      list.choose(
        items.map((one) => list.keyOf(one)),
        false,
      );
      const done = items.length - failures.length;
      if (done > 0) toast(`${remove.title}: ${done.toLocaleString()} requested`);
      if (failures.length > 0)
        failureToast(
          new ApiError(
            0,
            failures.slice(0, 3).map((message) => ({ errorCode: '', message })),
          ),
        );
    },
    onDone: () => void list.reload(),
  });
}
