// What is special about a resource, beside what its declaration says: tabs of its detail page, cells of its table, what
// stands above its list, where its form begins, and which operations are of no use now. A product keeps its extensions
// in its own folder; `extensions.ts` lists them.
import type { ComponentChildren, ComponentType } from 'preact';
import type { PageProps } from '../router.ts';
import type { Dependent } from './dependent.ts';
import type { FormStart } from './form/form-start.ts';
import type { Item, ResourceModel } from './model.ts';

export interface Extension {
  of: string; // the name of the resource
  tabs?: readonly Tab[]; // after the usual ones, unless they come first
  firstList?: string; // of what is in it: its page begins with that, and not with the properties
  facts?: ComponentType<TabProps>; // above its properties
  cells?: Readonly<Record<string, (item: Item) => ComponentChildren>>; // of its table, by the property
  lead?: ComponentType<PageProps>; // above its list
  start?: FormStart; // of the form that makes one
  obstacles?: Readonly<Record<string, (item: Item) => string | undefined>>; // of operations that do nothing, or fail
  leftBehind?(item: Item, signal: AbortSignal): Promise<readonly Dependent[]>; // by its deletion
  heldBy?(item: Item, signal: AbortSignal): Promise<readonly Dependent[]>; // against its deletion
}

export interface Tab {
  name: string; // in the address: `?tab=diagram`
  title: string;
  first?: boolean; // it is what the page shows without a tab in the address
  shows?(item: Item): boolean; // absent: always
  view: ComponentType<TabProps>; // by lazyView, where it is large
}

export interface TabProps extends Omit<PageProps, 'params'> {
  resource: ResourceModel;
  item: Item; // as the API shows it, and anew after each change
  path: string; // of the item in the API, with the prefix of its service: /cloudapi/v6/datacenters/D
  reload(): void;
}
