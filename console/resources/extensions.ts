// All extensions of resource pages, a line for each product that has some.
import { accountExtensions } from '../account/extensions.ts';
import { autoscalingExtensions } from '../autoscaling/extensions.ts';
import { certificateExtensions } from '../certificates/extensions.ts';
import { computeExtensions } from '../compute/extensions.ts';
import { dnsExtensions } from '../dns/extensions.ts';
import { streamingExtensions } from '../streaming/extensions.ts';
import type { Extension } from './extension.ts';

export const extensions: readonly Extension[] = [
  ...computeExtensions,
  ...autoscalingExtensions,
  ...accountExtensions,
  ...dnsExtensions,
  ...certificateExtensions,
  ...streamingExtensions,
];

export const extensionsOf = (name: string): readonly Extension[] => extensions.filter(({ of }) => of === name);
