// Writes what was read of a contract as a seed: the values that a client may set, with names instead of ids.
import type { Json, Values } from '../../base/json.ts';
import type { Section } from '../../surface/docs/seed-sections.ts';
import { Dumper, type DumpOptions } from './dumper.ts';
import { filtered, isReferredTo, neededBy } from './needed-items.ts';
import { isPersonal, type Reading } from './reading.ts';
import type { Tree, Unread } from './tree.ts';

export interface Dumped {
  seed: Record<string, Json>;
  notes: string[];
  omitted: string[]; // the notes about what the seed lacks
  tree: Tree;
  unread: Unread;
}

export function dumpSeed(reading: Reading, options: DumpOptions): Dumped {
  const { sections, regions } = options;
  const dumper = new Dumper(reading, options);
  const whole: Record<string, Values[]> = {};
  const groups = sections.get('autoscalingGroups');
  if (groups) dumper.skipReplicas(`${groups.prefix}${groups.path}`);
  // Addresses of blocks are collected before the resources that use them.
  const isBlock = ({ key }: Section): number => (key === 'ipblocks' ? 0 : 1);
  for (const section of [...sections.values()].toSorted((a, b) => isBlock(a) - isBlock(b))) {
    if (section.parent || isPersonal(section)) continue;
    const items = section.isRegional
      ? regions.all.flatMap((one) => dumper.section(section, `/${one}${section.prefix}`, one))
      : dumper.section(section, section.prefix);
    if (items.length > 0) whole[section.key] = items;
  }
  dumper.completeRelations();
  const all = (dumper.named(whole) ?? {}) as Record<string, Values[]>;
  const needed = options.isLimited ? neededBy(all) : new Set(Object.values(all).flat());
  for (const [at, one] of (whole.certificates ?? []).entries()) {
    const item = all.certificates?.[at];
    if (item && dumper.issued.has(one) && !isReferredTo(all, 'certificates', item)) needed.delete(item);
  }
  const written = filtered(whole, (_, key, at) => needed.has(all[key]?.[at] as Values));
  const seed = filtered(all, (item) => needed.has(item));
  const omitted = [...reading.notes, ...dumper.omitted];
  const replaced = ['certificate', 'snapshot'].flatMap((kind) =>
    (written[`${kind}s`] ?? []).map(({ name, placeholder }) => `${placeholder} (${kind} ${name})`),
  );
  const { unread, names } = dumper;
  const tree = { sections: written, names: Object.fromEntries(names) };
  return { seed, notes: [note, ...omitted, ...replaced, ...dumper.notes], omitted, tree, unread };
}

const note = 'Not included: the owner of the contract, passwords, keys, and objects that were not downloaded.';
