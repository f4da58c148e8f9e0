// An extension adds to the derived pages of a resource: tabs, table cells, a text above the list, initial form values
// and obstacles of operations. A product keeps its extensions in its folder; `extensions.ts` lists them.
import type { ComponentChildren, ComponentType } from 'preact';
import type { PageProps } from '../router.ts';
import type { FirstProperties } from './client-commands/first-command.ts';
import type { Dependent } from './dependent.ts';
import type { FormStart } from './form/form-start.ts';
import type { Item, ResourceModel } from './model.ts';

export interface Extension {
  of: string; // the name of the resource
  tabs?: readonly Tab[]; // after the default tabs, unless `first` is set
  firstList?: string; // the nested collection that the page shows first, instead of the properties
  facts?: ComponentType<TabProps>; // above its properties
  cells?: Readonly<Record<string, (item: Item) => ComponentChildren>>; // table cells by property
  lead?: ComponentType<PageProps>; // above its list
  start?: FormStart; // of the creation form
  first?: FirstProperties; // of the command that creates the first one, if the form has no start
  obstacles?: Readonly<Record<string, (item: Item) => string | undefined>>; // reasons by operation
  leftBehind?(item: Item, signal: AbortSignal): Promise<readonly Dependent[]>; // stop working after its deletion
  heldBy?(item: Item, signal: AbortSignal): Promise<readonly Dependent[]>; // prevent its deletion
}

export interface Tab {
  name: string; // in the address: `?tab=diagram`
  title: string;
  first?: boolean; // shown if the address names no tab
  shows?(item: Item): boolean; // absent: always
  view: ComponentType<TabProps>; // large views use lazyView
}

export interface TabProps extends Omit<PageProps, 'params'> {
  resource: ResourceModel;
  item: Item; // as the API returns it, updated after each change
  path: string; // API path with the prefix of the service: /cloudapi/v6/datacenters/D
  reload(): void;
}
