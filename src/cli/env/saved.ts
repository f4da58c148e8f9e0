// What `env` changes in a shell can be taken back: CUMULET_SAVED names the variables it took over, and
// CUMULET_SAVED_<name> has the value that one had before. A variable that is not named there is none of ours.
import { everyVariable } from './table.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface Wanted {
  set: Readonly<Record<string, string>>;
  unset: readonly string[];
}

// In this order. The shell copies what is kept and given back by itself, so that no value of the user's is printed.
export interface Change {
  keep: string[]; // copied to the saved name
  giveBack: string[]; // copied from the saved name
  set: Record<string, string>;
  unset: string[];
}

const list = 'CUMULET_SAVED';
export const savedName = (name: string): string => `${list}_${name}`;

// Only names that are ours to change: what stands in the environment may come from anywhere.
function takenOver(now: Variables): string[] {
  const named = new Set(now[list]?.split(','));
  return everyVariable().filter((name) => named.has(name));
}

// The environment as it was before `env`.
export function original(now: Variables): Variables {
  return { ...now, ...Object.fromEntries(takenOver(now).map((name) => [name, now[savedName(name)]])) };
}

// What an earlier `env` took over and this one does not need goes back too.
export function changeOf({ set, unset }: Wanted, now: Variables): Change {
  const taken = takenOver(now);
  const touched = [...Object.keys(set), ...unset];
  const left = taken.filter((name) => !touched.includes(name));
  const isSaved = (name: string): boolean => now[savedName(name)] !== undefined;
  const keep = touched.filter((name) => !taken.includes(name) && now[name] !== undefined);
  const ours = touched.filter((name) => name in set || taken.includes(name) || keep.includes(name));
  return {
    keep,
    giveBack: left.filter(isSaved),
    set: { ...set, ...(ours.length > 0 && { [list]: ours.join(',') }) },
    unset: [
      ...unset,
      ...left.map((name) => (isSaved(name) ? savedName(name) : name)),
      ...(ours.length === 0 && now[list] !== undefined ? [list] : []),
    ],
  };
}

// The same with all values, for programs.
export function spelledOut({ keep, giveBack, set, unset }: Change, now: Variables): Wanted {
  const kept = keep.map((name) => [savedName(name), now[name] ?? '']);
  const back = giveBack.map((name) => [name, now[savedName(name)] ?? '']);
  return { set: { ...Object.fromEntries([...kept, ...back]), ...set }, unset };
}
