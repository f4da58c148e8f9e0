// Buttons and menus for the actions of a collection, of selected rows and of one resource.
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { HeadSlot } from '../../components/page/page-head.tsx';
import { perform as performing, toast } from '../../components/toast.tsx';
import { openPalette } from '../../palette/palette.tsx';
import type { ListModel } from '../list-model.ts';
import type { Item, OperationModel, ResourceModel } from '../model.ts';
import { isDisruptive, openOperation } from '../operation-dialog.tsx';
import { obstacleOf, perform, refusalOfOperation } from '../operations.ts';
import { isAcross, itemPath, matched, placeUrl } from '../place.ts';
import { countedAs, namesOf, removeChosen } from '../removal.tsx';
import type { ItemAction } from './item-action.ts';
import { actionsOfItem, type ItemActionsProps, splitActions } from './item-actions.tsx';

export interface CollectionActionsProps {
  model: ResourceModel;
  path: string;
  onDone(): void;
}

export function CollectionActions({ model, path, onDone }: CollectionActionsProps) {
  const params = matched(model.collection, path) ?? {};
  const ofAll = isAcross(path) ? [] : model.ofAll; // only for a single collection
  const refusal = model.create && refusalOfOperation(model, model.create, params);
  return (
    <div class="actions">
      {ofAll.map((operation) => (
        <Button
          key={operation.operation}
          text={operation.title}
          look="plain"
          obstacle={refusalOfOperation(model, operation, params)}
          onPress={() => openOperation({ model, operation, params, subject: model.titles, onDone })}
        />
      ))}
      {model.create &&
        (isAcross(path) ? (
          <button type="button" class="button" onClick={() => openPalette([], { model, params: {} })}>
            <Icon name="plus" />
            {model.create.title}
          </button>
        ) : refusal === undefined ? (
          <a class="button" href={placeUrl(model, `${path}/new`)}>
            <Icon name="plus" />
            {model.create.title}
          </a>
        ) : (
          <Button icon="plus" text={model.create.title} obstacle={refusal} onPress={() => undefined} />
        ))}
    </div>
  );
}

interface ChosenActionsProps {
  models: readonly ResourceModel[];
  list: ListModel;
  path: string;
}

const mostChecked = 20; // the region checks each row

// Actions for selected rows: deletion, and operations that need no input.
export function ChosenActions({ models, list, path }: ChosenActionsProps) {
  const { model, chosen, chosenItems: items } = list;
  const { remove } = model;
  if (chosen.value.size === 0) return null;
  const simple = model.ofOne.filter(({ method, body }) => method === 'POST' && body === undefined);
  const paramsOf = (item: Item) => matched(model.item ?? '', itemPath(model, path, item)) ?? {};
  const obstacleFor = (operation: OperationModel, item: Item): string | undefined =>
    obstacleOf(operation, item) ?? refusalOfOperation(model, operation, paramsOf(item));
  const possible = (operation: OperationModel) => items.filter((item) => obstacleFor(operation, item) === undefined);
  // The reason of the first row if no row allows the operation.
  const obstacleForAll = (operation: OperationModel): string | undefined => {
    if (items.length > mostChecked) return undefined;
    const reasons = items.map((item) => obstacleFor(operation, item));
    return reasons.includes(undefined) ? undefined : reasons[0];
  };
  const each = async (operation: OperationModel): Promise<void> => {
    const able = possible(operation);
    for (const item of able) await perform(model, operation, { params: paramsOf(item) });
    const others = items.length - able.length;
    const skipped = others > 0 ? `, ${others} not possible` : '';
    toast(`${operation.title}: ${able.length} requested${skipped}`);
    await list.reload();
  };
  const start = (operation: OperationModel): void => {
    const able = possible(operation);
    if (!isDisruptive(operation) || able.length === 0) performing(() => each(operation));
    else
      confirm({
        title: `${operation.title} ${countedAs(model, able.length)}?`,
        text: `${namesOf(able)}.`,
        action: operation.title,
        act: () => each(operation),
        onDone: () => undefined,
      });
  };
  return (
    <div class="chosen-bar" role="toolbar" aria-label="Selected rows">
      <p>{chosen.value.size.toLocaleString()} selected</p>
      {simple.map((operation) => (
        <Button
          key={operation.operation}
          text={operation.title}
          look="plain"
          obstacle={obstacleForAll(operation)}
          onPress={() => start(operation)}
        />
      ))}
      {remove && (
        <Button
          text={remove.title}
          look="danger"
          obstacle={obstacleForAll(remove)}
          onPress={() => removeChosen({ models, list, items: possible(remove), path })}
        />
      )}
      <Button text="Clear selection" look="plain" onPress={() => list.choose([...chosen.value], false)} />
    </div>
  );
}

export function ItemActions(props: ItemActionsProps) {
  const actions = actionsOfItem(props);
  const { change, removal } = actions;
  const { buttons, rest } = splitActions(props.model, props.item, actions);
  return (
    <div class="actions">
      {buttons.map((one) => (
        <Shortcut key={one.operation} action={one} />
      ))}
      {change &&
        (change.obstacle === undefined ? (
          <a class="button plain" href={change.url}>
            {change.title}
          </a>
        ) : (
          <Button text={change.title} look="plain" obstacle={change.obstacle} onPress={() => undefined} />
        ))}
      {rest.length > 0 && <Menu title="Actions" entries={rest.map((one) => ({ ...one, key: one.operation }))} />}
      {removal && (
        <Button text={removal.title} look="danger" obstacle={removal.obstacle} onPress={() => removal.act()} />
      )}
      <HeadSlot />
    </div>
  );
}

function Shortcut({ action }: { action: ItemAction }) {
  const { title, obstacle } = action;
  if ('url' in action && obstacle === undefined)
    return (
      <a class="button plain" href={action.url}>
        {title}
      </a>
    );
  const act = (): void => ('act' in action ? action.act() : undefined);
  return <Button text={title} look="plain" obstacle={obstacle} onPress={act} />;
}
