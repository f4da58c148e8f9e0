// Buttons and menus for the actions of a collection, of selected rows and of one resource.
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { perform as performing, toast } from '../../components/toast.tsx';
import { openPalette } from '../../palette/palette.tsx';
import type { ListModel } from '../list-model.ts';
import type { OperationModel, ResourceModel } from '../model.ts';
import { openOperation } from '../operation-dialog.tsx';
import { obstacleOf, perform, refusalOfOperation } from '../operations.ts';
import { isAcross, itemPath, matched, placeUrl } from '../place.ts';
import { removeChosen } from '../removal.tsx';
import { actionsOfItem, type ItemActionsProps } from './item-actions.tsx';

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
          <Button text={model.create.title} obstacle={refusal} onPress={() => undefined} />
        ))}
    </div>
  );
}

// Actions for selected rows: deletion, and operations that need no input.
export function ChosenActions({ list, path }: { list: ListModel; path: string }) {
  const { model, chosen, chosenItems: items } = list;
  if (chosen.value.size === 0) return null;
  const simple = model.ofOne.filter(({ method, body }) => method === 'POST' && body === undefined);
  const each = (operation: OperationModel): void =>
    performing(async () => {
      let done = 0;
      for (const item of items) {
        const params = matched(model.item ?? '', itemPath(model, path, item)) ?? {};
        if ((obstacleOf(operation, item) ?? refusalOfOperation(model, operation, params)) !== undefined) continue;
        await perform(model, operation, { params });
        done += 1;
      }
      const others = items.length - done;
      toast(`${operation.title}: ${done} requested${others > 0 ? `, ${others} not possible` : ''}`);
      await list.reload();
    });
  return (
    <div class="chosen-bar" role="toolbar" aria-label="Selected rows">
      <p>{chosen.value.size.toLocaleString()} selected</p>
      {simple.map((operation) => (
        <Button key={operation.operation} text={operation.title} look="plain" onPress={() => each(operation)} />
      ))}
      {model.remove && (
        <Button text={model.remove.title} look="danger" onPress={() => removeChosen({ list, items, path })} />
      )}
      <Button text="Clear selection" look="plain" onPress={() => list.choose([...chosen.value], false)} />
    </div>
  );
}

export function ItemActions(props: ItemActionsProps) {
  const { change, others, removal } = actionsOfItem(props);
  return (
    <div class="actions">
      {change &&
        (change.obstacle === undefined ? (
          <a class="button plain" href={change.url}>
            {change.title}
          </a>
        ) : (
          <Button text={change.title} look="plain" obstacle={change.obstacle} onPress={() => undefined} />
        ))}
      {others.length > 0 && <Menu title="Actions" entries={others.map((one) => ({ ...one, key: one.operation }))} />}
      {removal && (
        <Button text={removal.title} look="danger" obstacle={removal.obstacle} onPress={() => removal.act()} />
      )}
    </div>
  );
}
