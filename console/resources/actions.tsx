// What can be done with a collection, with chosen things of it, and with one thing: buttons, a menu, and the dialogs
// that ask for what an operation needs.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { failureOf, jsonOf, send } from '../api.ts';
import { Actions, Button } from '../components/button.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { Failure } from '../components/states.tsx';
import { perform as performing, toast } from '../components/toast.tsx';
import type { ListModel } from './list-model.ts';
import type { Item, OperationModel, ResourceModel } from './model.ts';
import { openOperation } from './operation-dialog.tsx';
import { addressOf, obstacleOf, perform } from './operations.ts';
import { itemPath, matched, missingParams, nameOf, placeUrl } from './place.ts';
import { openRemoval, removeChosen } from './removal.tsx';

export interface CollectionActionsProps {
  model: ResourceModel;
  path: string;
  onDone(): void;
}

export function CollectionActions({ model, path, onDone }: CollectionActionsProps) {
  const params = matched(model.collection, path) ?? {};
  return (
    <div class="actions">
      {model.ofAll.map((operation) => (
        <Button
          key={operation.operation}
          text={operation.title}
          look="plain"
          onPress={() => openOperation({ model, operation, params, subject: model.titles, onDone })}
        />
      ))}
      {model.create && (
        <a class="button" href={placeUrl(model, `${path}/new`)}>
          <Icon name="plus" />
          {model.create.title}
        </a>
      )}
    </div>
  );
}

// Where several are chosen: remove them, or do with each what needs nothing more to be said.
export function ChosenActions({ list, path }: { list: ListModel; path: string }) {
  const { model, chosen, rows } = list;
  if (chosen.value.size === 0) return null;
  const items = rows.value.filter(({ id }) => chosen.value.has(id));
  const simple = model.ofOne.filter(({ method, body }) => method === 'POST' && body === undefined);
  const each = (operation: OperationModel): void =>
    performing(async () => {
      let done = 0;
      for (const item of items) {
        const params = matched(model.item ?? '', itemPath(model, path, item)) ?? {};
        if (obstacleOf(operation, item) !== undefined) continue;
        await perform(model, operation, { params });
        done += 1;
      }
      const others = items.length - done;
      toast(`${operation.title}: ${done} asked for${others > 0 ? `, ${others} in another state` : ''}`);
      await list.reload();
    });
  return (
    <div class="chosen-bar" role="toolbar" aria-label="Chosen rows">
      <p>{chosen.value.size.toLocaleString()} chosen</p>
      {simple.map((operation) => (
        <Button key={operation.operation} text={operation.title} look="plain" onPress={() => each(operation)} />
      ))}
      {model.remove && (
        <Button text={model.remove.title} look="danger" onPress={() => removeChosen({ list, items, path })} />
      )}
      <Button text="Choose none" look="plain" onPress={() => list.choose([...chosen.value], false)} />
    </div>
  );
}

export interface ItemActionsProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
  item: Item;
  path: string;
  reload(): void;
  onRemoved(): void;
}

export function ItemActions({ models, model, item, path, reload, onRemoved }: ItemActionsProps) {
  const params = matched(model.item ?? '', path) ?? {};
  const subject = nameOf(item);
  const start = (operation: OperationModel): void => {
    if (operation.method === 'GET') openAnswer(model, operation, params);
    else openOperation({ model, operation, params, subject, onDone: reload });
  };
  const editObstacle = model.change && obstacleOf(model.change, item);
  return (
    <div class="actions">
      {model.change &&
        (editObstacle === undefined ? (
          <a class="button plain" href={placeUrl(model, `${path}/edit`)}>
            {model.change.title}
          </a>
        ) : (
          <Unable text={model.change.title} why={editObstacle} />
        ))}
      {model.ofOne.length > 0 && (
        <Menu
          title="Actions"
          entries={model.ofOne.map((operation) => ({
            text: operation.title,
            note: operation.summary,
            obstacle: operation.method === 'GET' ? undefined : obstacleOf(operation, item),
            act: () => start(operation),
          }))}
        />
      )}
      {model.remove && (
        <Button
          text={model.remove.title}
          look="danger"
          onPress={() => openRemoval({ models, model, item, path, onRemoved })}
        />
      )}
    </div>
  );
}

const Unable = ({ text, why }: { text: string; why: string }) => (
  <button type="button" class="plain" aria-disabled="true" title={why} aria-label={`${text}. ${why}`}>
    {text}
  </button>
);

interface Entry {
  text: string;
  note: string;
  obstacle: string | undefined;
  act(): void;
}

// A menu that closes with Escape, with a press elsewhere, and when something of it was begun.
function Menu({ title, entries }: { title: string; entries: readonly Entry[] }) {
  const isOpen = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!isOpen.value) return undefined;
    box.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    const close = (event: Event): void => {
      if (!(event.target instanceof Node && box.current?.contains(event.target))) isOpen.value = false;
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, [isOpen.value]);
  const onKey = (event: KeyboardEvent): void => {
    const items = [...(box.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'Escape') {
      isOpen.value = false;
      box.current?.querySelector('button')?.focus();
    } else if (event.key === 'ArrowDown') items[(at + 1) % items.length]?.focus();
    else if (event.key === 'ArrowUp') items.at(at - 1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of all entries are heard by the box around them
    <div class="menu" ref={box} onKeyDown={onKey}>
      <button
        type="button"
        class="plain"
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {title} <span aria-hidden="true">▾</span>
      </button>
      {isOpen.value && (
        <div class="menu-list" role="menu" aria-label={title}>
          {entries.map(({ text, note, obstacle, act }) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              aria-disabled={obstacle !== undefined}
              onClick={() => {
                if (obstacle !== undefined) return;
                isOpen.value = false;
                act();
              }}
            >
              {text}
              <small>{obstacle ?? note}</small>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

// What an operation only shows.
function openAnswer(model: ResourceModel, operation: OperationModel, params: Readonly<Record<string, string>>): void {
  openDialog((close) => <AnswerDialog model={model} operation={operation} params={params} close={close} />);
}

interface AnswerDialogProps {
  model: ResourceModel;
  operation: OperationModel;
  params: Readonly<Record<string, string>>;
  close(): void;
}

function AnswerDialog({ model, operation, params, close }: AnswerDialogProps) {
  const text = useSignal<string | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  useLayoutEffect(() => {
    if (missingParams(operation.path, params).length > 0) return;
    answerText(addressOf(model, operation, { params })).then(
      (answer) => {
        text.value = answer;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  }, []);
  return (
    <Dialog title={operation.title} close={close}>
      <p>{operation.summary}.</p>
      {failure.value !== undefined && <Failure error={failure.value} />}
      {text.value !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <pre class="long-text" tabIndex={0}>
          {text.value}
        </pre>
      )}
      <Actions>
        {text.value !== undefined && navigator.clipboard && (
          <Button text="Copy" onPress={() => performing(() => navigator.clipboard.writeText(text.value ?? ''))} />
        )}
        <Button text="Close" look="plain" onPress={close} />
      </Actions>
    </Dialog>
  );
}

// Some answers are no JSON, such as zone files and metrics.
async function answerText(path: string): Promise<string> {
  const response = await send(path, { headers: { Accept: '*/*' } });
  if (!response.ok) throw failureOf(response, await jsonOf(response));
  const text = await response.text();
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
