// All extensions of resource pages, a line for each product that has some.
import type { Extension } from './extension.ts';

export const extensions: readonly Extension[] = [];

export const extensionsOf = (name: string): readonly Extension[] => extensions.filter(({ of }) => of === name);
