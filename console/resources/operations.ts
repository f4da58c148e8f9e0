// Calls the operations of resources and shows the outcome with a link to the request.
import { type Changed, change } from '../api.ts';
import { toast } from '../components/toast.tsx';
import { followRequest } from '../requests/follow.ts';
import { refusalOf } from '../rights/session-rights.ts';
import { extensions } from './extensions.ts';
import type { Item, OperationModel, ResourceModel } from './model.ts';
import { filled, isAcross, missingParams, statesOf } from './place.ts';

export interface Given {
  params: Readonly<Record<string, string>>; // of the path
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  region?: string; // where to create it; absent: the home region, or the region of the resource
}

export function addressOf(model: ResourceModel, { path }: OperationModel, given: Given): string {
  const search = new URLSearchParams(given.query).toString();
  const region = given.region === undefined ? '' : `/${given.region}`;
  return `${region}${model.prefix}${filled(path, given.params)}${search && `?${search}`}`;
}

export const perform = (model: ResourceModel, operation: OperationModel, given: Given): Promise<Changed<Item>> =>
  change<Item>(
    operation.method,
    addressOf(model, operation, given),
    given.body === undefined ? {} : { body: given.body },
  );

// Shows a toast such as `Delete web-1` and resolves when the operation has ended.
export async function follow(text: string, { request }: Changed<unknown>): Promise<void> {
  if (request === undefined) toast(`${text}: done`);
  else await followRequest(request, text);
}

// Why the user may not call an operation, or undefined. Unknown if a part of the path is unknown.
export const refusalOfOperation = (
  model: ResourceModel,
  operation: OperationModel,
  params: Given['params'],
): string | undefined =>
  missingParams(operation.path, params).length > 0 || isAcross(filled(operation.path, params))
    ? undefined
    : refusalOf({ method: operation.method, path: addressOf(model, operation, { params }) });

// Why an operation is not possible now, or undefined. The reason of an extension is more specific than the state.
export const obstacleOf = (operation: OperationModel, item: Item): string | undefined =>
  specialObstacle(operation, item) ?? obstacleByState(operation, item);

// An obstacle that does not pass by itself, unlike a state.
export const specialObstacle = ({ operation }: OperationModel, item: Item): string | undefined =>
  extensions.flatMap(({ obstacles }) => obstacles?.[operation]?.(item) ?? []).at(0);

function obstacleByState({ states }: OperationModel, item: Item): string | undefined {
  const own = statesOf(item);
  if (!states || own.length === 0 || own.some((state) => states.includes(state))) return undefined;
  const words = new Set(states.map((state) => state.toUpperCase()));
  if (own.some((state) => words.has(state.toUpperCase()) || /^(?:ready|active)$/i.test(state))) return undefined;
  return `Only in state ${states.join(' or ')}. The current state is ${own.join(', ')}.`;
}
