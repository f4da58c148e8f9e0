// The actions of one resource, shared by its page and the palette: titles, obstacles and confirmations.

import type { Item, OperationModel, ResourceModel } from '../model.ts';
import { openOperation } from '../operation-dialog.tsx';
import { obstacleOf, refusalOfOperation } from '../operations.ts';
import { matched, nameOf, placeUrl } from '../place.ts';
import { openRemoval } from '../removal.tsx';
import { openAnswer } from './answer-dialog.tsx';
import type { ActionInfo, DirectAction, LinkedAction } from './item-action.ts';

export interface ItemActionsProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
  item: Item;
  path: string; // below the prefix of the service
  reload(): void;
  onRemoved(): void;
}

export interface ItemActionSet {
  change: LinkedAction | undefined;
  others: readonly DirectAction[];
  removal: DirectAction | undefined;
}

// The summary `Delete a server` adds nothing to the title `Delete`.
const repeats = ({ title, summary }: OperationModel): boolean =>
  summary.split(' ').length <= 5 &&
  [title, ...(title === 'Edit' ? ['Change', 'Replace'] : [])].some((verb) => summary.startsWith(`${verb} `));

export function actionsOfItem({ models, model, item, path, reload, onRemoved }: ItemActionsProps): ItemActionSet {
  const params = matched(model.item ?? '', path) ?? {};
  const { change, remove } = model;
  const described = (operation: OperationModel, obstacle: string | undefined): ActionInfo => ({
    operation: operation.operation,
    title: operation.title,
    note: repeats(operation) ? '' : operation.summary,
    obstacle: obstacle ?? refusalOfOperation(model, operation, params),
  });
  return {
    change: change && { ...described(change, obstacleOf(change, item)), url: placeUrl(model, `${path}/edit`) },
    others: model.ofOne.map((operation) => {
      const isRead = operation.method === 'GET';
      return {
        ...described(operation, isRead ? undefined : obstacleOf(operation, item)),
        act: () =>
          isRead
            ? openAnswer(model, operation, params)
            : openOperation({ model, operation, params, subject: nameOf(item), onDone: reload }),
      };
    }),
    removal: remove && {
      ...described(remove, undefined),
      act: () => openRemoval({ models, model, item, path, onRemoved }),
    },
  };
}
