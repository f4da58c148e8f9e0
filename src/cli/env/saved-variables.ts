// `env --unset` restores the variables that `env` changed: CUMULET_SAVED lists their names, and CUMULET_SAVED_<name>
// has the value from before. A variable that is not listed was not changed by us.
import { allVariables } from './client-variables.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface Wanted {
  set: Readonly<Record<string, string>>;
  unset: readonly string[];
}

// Applied in this order. The shell copies values itself, so that none of the user's values is printed.
export interface Change {
  keep: string[]; // copied to the saved name
  restore: string[]; // copied from the saved name
  set: Record<string, string>;
  unset: string[];
}

const list = 'CUMULET_SAVED';
export const savedName = (name: string): string => `${list}_${name}`;

// Only names that `env` may change: CUMULET_SAVED itself may come from anywhere.
function changedVariables(now: Variables): string[] {
  const named = new Set(now[list]?.split(','));
  return allVariables().filter((name) => named.has(name));
}

// The environment as it was before `env`.
export function original(now: Variables): Variables {
  return { ...now, ...Object.fromEntries(changedVariables(now).map((name) => [name, now[savedName(name)]])) };
}

// Variables that an earlier `env` changed and this one does not are restored too.
export function changeOf({ set, unset }: Wanted, now: Variables): Change {
  const taken = changedVariables(now);
  const touched = [...Object.keys(set), ...unset];
  const left = taken.filter((name) => !touched.includes(name));
  const isSaved = (name: string): boolean => now[savedName(name)] !== undefined;
  const keep = touched.filter((name) => !taken.includes(name) && now[name] !== undefined);
  const ours = touched.filter((name) => name in set || taken.includes(name) || keep.includes(name));
  return {
    keep,
    restore: left.filter(isSaved),
    set: { ...set, ...(ours.length > 0 && { [list]: ours.join(',') }) },
    unset: [
      ...unset,
      ...left.map((name) => (isSaved(name) ? savedName(name) : name)),
      ...(ours.length === 0 && now[list] !== undefined ? [list] : []),
    ],
  };
}

// The change with all values, for --json.
export function withValues({ keep, restore, set, unset }: Change, now: Variables): Wanted {
  const kept = keep.map((name) => [savedName(name), now[name] ?? '']);
  const back = restore.map((name) => [name, now[savedName(name)] ?? '']);
  return { set: { ...Object.fromEntries([...kept, ...back]), ...set }, unset };
}
