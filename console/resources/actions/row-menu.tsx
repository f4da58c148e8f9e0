// The menu of a row: the actions that the page of the resource has.
import { Menu, type MenuEntry } from '../../components/menu.tsx';
import type { Item, ResourceModel } from '../model.ts';
import { itemPath, nameOf } from '../place.ts';
import { actionsOfItem, splitActions } from './item-actions.tsx';

export const hasRowMenu = ({ item, change, remove, ofOne }: ResourceModel): boolean =>
  item !== undefined && (change !== undefined || remove !== undefined || ofOne.length > 0);

export interface RowMenuProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
  list: string; // the path of the collection
  item: Item;
  reload(): void;
}

export function RowMenu({ models, model, list, item, reload }: RowMenuProps) {
  const path = itemPath(model, list, item);
  const entries = (): MenuEntry[] => {
    const actions = actionsOfItem({ models, model, item, path, reload, onRemoved: reload });
    const { buttons, rest } = splitActions(model, item, actions);
    const all = [...buttons, actions.change, ...rest, actions.removal].filter((one) => one !== undefined);
    return all.map((one) => ({ ...one, key: one.operation, note: '' }));
  };
  return <Menu title={`Actions of ${nameOf(item)}`} entries={entries} isCompact isInRow />;
}
