// All extensions of resource pages, a line for each product that has some.

import type { ComponentChildren } from 'preact';
import { accountExtensions } from '../account/extensions.ts';
import { autoscalingExtensions } from '../autoscaling/extensions.ts';
import { certificateExtensions } from '../certificates/extensions.ts';
import { computeExtensions } from '../compute/extensions.ts';
import { dnsExtensions } from '../dns/extensions.ts';
import { streamingExtensions } from '../streaming/extensions.ts';
import type { Extension, ListView } from './extension.ts';
import type { Item, ResourceModel } from './model.ts';

export const extensions: readonly Extension[] = [
  ...computeExtensions,
  ...autoscalingExtensions,
  ...accountExtensions,
  ...dnsExtensions,
  ...certificateExtensions,
  ...streamingExtensions,
];

export const extensionsOf = (name: string): readonly Extension[] => extensions.filter(({ of }) => of === name);

export const listViewOf = ({ name, isReference }: ResourceModel): ListView | undefined =>
  isReference ? undefined : extensionsOf(name).find(({ list }) => list)?.list;

// Custom cells of a resource by property, for values that need more than the plain value.
export function cellsOf({ name }: ResourceModel, item: Item): Record<string, ComponentChildren> {
  const cells = Object.assign({}, ...extensionsOf(name).map((one) => one.cells ?? {})) as Cells;
  return Object.fromEntries(
    Object.entries(cells)
      .filter(([property]) => item.properties[property] !== null && item.properties[property] !== undefined)
      .map(([property, cell]) => [property, cell(item)]),
  );
}

type Cells = NonNullable<Extension['cells']>;
