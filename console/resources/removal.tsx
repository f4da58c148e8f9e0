// Deletes a thing, or several, after it was told what goes along. To delete a thing that has others in it, its name has
// to be written.
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

interface Along {
  title: string;
  names: readonly string[];
  more: boolean;
}

const mostNamed = 200;

// What is in it, by kind.
async function alongOf({ models, model, path }: RemovalProps, signal: AbortSignal): Promise<Along[]> {
  const params = matched(model.item ?? '', path) ?? {};
  const inside = models.filter(
    ({ service, parent, isReference }) => service === model.service && parent === model.collection && !isReference,
  );
  const found = await Promise.all(
    inside.map(async (child): Promise<Along> => {
      const address = `${child.prefix}${filled(child.collection, params)}?depth=1&limit=${mostNamed}`;
      const { items = [] } = await call<{ items?: Item[] }>('GET', address, { signal });
      const names = items.map((one) => nameOf({ ...one, properties: one.properties ?? {} }));
      return { title: items.length === 1 ? child.title : child.titles, names, more: items.length === mostNamed };
    }),
  );
  return found.filter(({ names }) => names.length > 0);
}

type Hook = 'leftBehind' | 'heldBy';

const dependents = async (hook: Hook, { model, item }: RemovalProps, signal: AbortSignal): Promise<Dependent[]> =>
  (await Promise.all(extensionsOf(model.name).map((one) => one[hook]?.(item, signal) ?? []))).flat();

const shownNames = 6;

const alongText = ({ title, names, more }: Along): string => {
  const listed = names.slice(0, shownNames).join(', ');
  return `${names.length}${more ? ' or more' : ''} ${title}: ${listed}${names.length > shownNames ? ' …' : ''}`;
};

function Removal(props: RemovalProps & { remove: OperationModel; close(): void }) {
  const { model, item, path, onRemoved, remove, close } = props;
  const along = useSignal<readonly Along[] | undefined>(undefined);
  const leftBehind = useSignal<readonly Dependent[]>([]);
  const heldBy = useSignal<readonly Dependent[]>([]);
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const isUnknown = useSignal(false); // what goes along could not be found out
  const written = useSignal('');
  const query = useMemo(() => new FormValue({}), []);
  const name = nameOf(item);
  useLayoutEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const all = [
      alongOf(props, signal),
      dependents('leftBehind', props, signal),
      dependents('heldBy', props, signal),
    ] as const;
    Promise.all(all).then(
      ([found, others, holders]) => {
        leftBehind.value = others;
        heldBy.value = holders;
        along.value = found;
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        failure.value = error;
        isUnknown.value = true;
        along.value = [];
      },
    );
    return () => controller.abort();
  }, []);
  const asksName = (isUnknown.value || (along.value?.length ?? 0) > 0) && remove.title === 'Delete';
  const isSure = along.value !== undefined && heldBy.value.length === 0 && (!asksName || written.value === name);
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
      {along.value === undefined ? (
        <p role="status">Looking for what is in it …</p>
      ) : asksName ? (
        <>
          <p>
            {isUnknown.value
              ? 'What is in it could not be found out. It goes along, for good.'
              : 'With it go, for good:'}
          </p>
          <ul class="along">
            {along.value.map((one) => (
              <li key={one.title}>{alongText(one)}</li>
            ))}
          </ul>
        </>
      ) : (
        <p>{remove.title === 'Delete' ? 'This can not be undone.' : `${remove.summary}.`}</p>
      )}
      <Dependents title="Left without it, and of no more use:" things={leftBehind.value} />
      <Dependents title="It is in use, so it can not be deleted yet:" things={heldBy.value} />
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
            Write its name to delete it
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

const Dependents = ({ title, things }: { title: string; things: readonly Dependent[] }) =>
  things.length === 0 ? null : (
    <>
      <p>{title}</p>
      <ul class="along">
        {things.map(({ kind, name, url }) => (
          <li key={url}>
            {kind} <a href={url}>{name}</a>
          </li>
        ))}
      </ul>
    </>
  );

const atOnce = 4;

// Several of a list. What can't be deleted stays, with the reason.
export function removeChosen({ list, items, path }: { list: ListModel; items: readonly Item[]; path: string }): void {
  const { model } = list;
  const { remove } = model;
  if (!remove) return;
  const [first, ...others] = items.map(nameOf);
  const count = `${items.length.toLocaleString()} ${items.length === 1 ? model.title : model.titles}`;
  confirm({
    title: `${remove.title} ${count}?`,
    text: `${[first, ...others.slice(0, shownNames)].join(', ')}${others.length > shownNames ? ' …' : ''}, and all that is in them.`,
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
      if (done > 0) toast(`${remove.title}: ${done.toLocaleString()} asked for`);
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
