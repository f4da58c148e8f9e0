// The labels that a metric query needs: parsers extract only those. Their errors are skipped as well: a query that
// needs no label of a line never detects that the line is not JSON. Loki behaves the same way, so this is more than an
// optimization.
import { type Hints, type LineLabels, noHints } from './line-labels.ts';

export interface NeededLabels {
  required: Iterable<string>; // by the stages of the pipeline
  groups: readonly string[];
  isWithout: boolean;
  hasNoLabels: boolean; // of the result
  unwrapped?: string;
  filters: readonly { name: string; test(labels: LineLabels): boolean }[]; // of one label each
}

const suffix = '_extracted';

export function hintsOf({ required, groups, isWithout, hasNoLabels, unwrapped, filters }: NeededLabels): Hints {
  const names = new Set<string>();
  for (const name of [...required, ...groups, unwrapped ?? '']) {
    if (name === '') continue;
    names.add(name);
    if (name.endsWith(suffix)) names.add(name.slice(0, -suffix.length));
  }
  const passes = (name: string, labels: LineLabels): boolean => {
    const filter = filters.find((one) => one.name === name);
    return filter === undefined || filter.test(labels);
  };
  if (hasNoLabels) {
    if (names.size === 0) return { ...noHints, takesNothing: () => true };
    return { ...requiring(names), passes };
  }
  if (isWithout || groups.length === 0) return { ...noHints, passes };
  return requiring(names);
}

function requiring(names: ReadonlySet<string>): Hints {
  const isComplete = (labels: LineLabels): boolean => {
    if (labels.extracted.size < names.size) return false;
    for (const name of names) if (!labels.extracted.has(name)) return false;
    return true;
  };
  return {
    takesNothing: isComplete,
    takes: (name) => names.has(name),
    takesPrefix: (prefix) => names.values().some((name) => name.startsWith(prefix)),
    isComplete,
    passes: () => true,
    preservesErrors: names.has('__error__'),
  };
}
