// All extensions of resource pages, a line for each product that has some.
import { accountExtensions } from '../account/extensions.ts';
import { autoscalingExtensions } from '../autoscaling/extensions.ts';
import { computeExtensions } from '../compute/extensions.ts';
import type { Extension } from './extension.ts';

export const extensions: readonly Extension[] = [...computeExtensions, ...autoscalingExtensions, ...accountExtensions];

export const extensionsOf = (name: string): readonly Extension[] => extensions.filter(({ of }) => of === name);
