// An extension adds to the derived pages of a resource: tabs, a header, actions, table cells and columns, a text above
// the list, initial form values and obstacles of operations. A product keeps its extensions in its folder;
// `extensions.ts` lists them.
import type { ComponentChildren, ComponentType } from 'preact';
import type { PageProps } from '../router.ts';
import type { ItemAction } from './actions/item-action.ts';
import type { FirstProperties } from './client-commands/first-command.ts';
import type { Dependent } from './dependent.ts';
import type { FormStart } from './form/form-start.ts';
import type { RowView, ValueColumn } from './list-model.ts';
import type { Names } from './list-names.ts';
import type { Item, OperationModel, ResourceModel } from './model.ts';
import type { Json } from './schema-form/form-value.ts';

export interface Extension {
  of: string; // the name of the resource
  tabs?: readonly Tab[]; // after the default tabs
  firstTabs?: readonly string[]; // in this order, before the others; without it, the properties are first
  mainList?: string; // the nested collection in which its page, by its main button, creates resources
  facts?: ComponentType<TabProps>; // above its properties
  head?: ComponentType<TabProps>; // above all tabs
  depth?: number; // that the item has on its page; default: 1
  list?: ListView;
  actions?(item: Item, place: ActionPlace): readonly ItemAction[]; // replace operations of the same name
  hiddenActions?: readonly string[]; // operations that only other clients use
  shortcuts?(item: Item): readonly string[]; // the actions that its page shows as buttons, by operation
  cells?: Readonly<Record<string, (item: Item) => ComponentChildren>>; // table cells by property
  lead?: ComponentType<PageProps>; // above its list
  start?: FormStart; // of the creation form
  suggest?(params: Params, signal: AbortSignal): Promise<Suggested>; // initial properties that need other resources
  check?(properties: Item['properties'], params: Params, signal: AbortSignal): Promise<Problems>; // before it is sent
  first?: FirstProperties; // of the command that creates the first one, if the form has no start
  obstacles?: Readonly<Record<string, (item: Item) => string | undefined>>; // reasons by operation
  leftBehind?(item: Item, signal: AbortSignal): Promise<readonly Dependent[]>; // stop working after its deletion
  heldBy?(item: Item, signal: AbortSignal): Promise<readonly Dependent[]>; // prevent its deletion
}

type Params = Readonly<Record<string, string>>; // of the path
type Suggested = Readonly<Record<string, Json>>;
type Problems = Readonly<Record<string, string>>; // by place: properties.ips

// The columns of a list that need more than the declared ones.
export interface ListView extends RowView {
  columns: readonly (string | ListColumn)[];
}

export interface ListColumn extends ValueColumn {
  title: string;
  cell?(item: Item, names: Names): ComponentChildren; // default: the value
  least?: number;
  share?: number;
}

export interface ActionPlace {
  models: readonly ResourceModel[];
  path: string; // of the item, below the prefix of its service
  open(operation: OperationModel, on: OperationTarget): void; // asks for its input
  refusal(operation: OperationModel, on: OperationTarget): string | undefined; // why the user may not perform it
}

export interface OperationTarget {
  model: ResourceModel;
  params: Params;
  subject: string; // the name of the resource
}

export interface Tab {
  name: string; // in the address: `?tab=diagram`
  title: string;
  shows?(item: Item): boolean; // absent: always
  view: ComponentType<TabProps>; // large views use lazyView
}

export interface TabProps extends Omit<PageProps, 'params'> {
  resource: ResourceModel;
  item: Item; // as the API returns it, updated after each change
  path: string; // API path with the prefix of the service: /cloudapi/v6/datacenters/D
  reload(): void;
}
