// What can be done with a collection, with chosen things of it, and with one thing: buttons and a menu.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { perform as performing, toast } from '../../components/toast.tsx';
import type { ListModel } from '../list-model.ts';
import type { OperationModel, ResourceModel } from '../model.ts';
import { openOperation } from '../operation-dialog.tsx';
import { obstacleOf, perform } from '../operations.ts';
import { itemPath, matched, placeUrl } from '../place.ts';
import { removeChosen } from '../removal.tsx';
import type { BegunAction } from './thing-action.ts';
import { type ThingActionsProps, thingActions } from './thing-actions.tsx';

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

export function ItemActions(props: ThingActionsProps) {
  const { change, others, removal } = thingActions(props);
  return (
    <div class="actions">
      {change &&
        (change.obstacle === undefined ? (
          <a class="button plain" href={change.url}>
            {change.title}
          </a>
        ) : (
          <Unable text={change.title} why={change.obstacle} />
        ))}
      {others.length > 0 && <Menu title="Actions" entries={others} />}
      {removal && <Button text={removal.title} look="danger" onPress={() => removal.act()} />}
    </div>
  );
}

const Unable = ({ text, why }: { text: string; why: string }) => (
  <button type="button" class="plain" aria-disabled="true" title={why} aria-label={`${text}. ${why}`}>
    {text}
  </button>
);

// A menu that closes with Escape, with a press elsewhere, and when something of it was begun.
function Menu({ title, entries }: { title: string; entries: readonly BegunAction[] }) {
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
          {entries.map(({ operation, title: text, note, obstacle, act }) => (
            <button
              key={operation}
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
              {(obstacle ?? note) !== '' && <small>{obstacle ?? note}</small>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
