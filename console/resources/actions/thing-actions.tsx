// What can be done with one thing, as its page and the palette offer it: the same titles, the same reasons why not, the
// same questions before it is done.

import type { Item, OperationModel, ResourceModel } from '../model.ts';
import { openOperation } from '../operation-dialog.tsx';
import { obstacleOf } from '../operations.ts';
import { matched, nameOf, placeUrl } from '../place.ts';
import { openRemoval } from '../removal.tsx';
import { openAnswer } from './answer-dialog.tsx';
import type { BegunAction, Described, LinkedAction } from './thing-action.ts';

export interface ThingActionsProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
  item: Item;
  path: string; // below the prefix of the service
  reload(): void;
  onRemoved(): void;
}

export interface ThingActions {
  change: LinkedAction | undefined;
  others: readonly BegunAction[];
  removal: BegunAction | undefined;
}

// `Delete a server` says nothing that `Delete` on the page of a server does not.
const repeats = ({ title, summary }: OperationModel): boolean =>
  summary.split(' ').length <= 5 &&
  [title, ...(title === 'Edit' ? ['Change', 'Replace'] : [])].some((verb) => summary.startsWith(`${verb} `));

export function thingActions({ models, model, item, path, reload, onRemoved }: ThingActionsProps): ThingActions {
  const params = matched(model.item ?? '', path) ?? {};
  const { change, remove } = model;
  const described = (operation: OperationModel, obstacle: string | undefined): Described => ({
    operation: operation.operation,
    title: operation.title,
    note: repeats(operation) ? '' : operation.summary,
    obstacle,
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
