// Which parts of a page want to hear of which changes. A path begins with the prefix of its service, as in the API:
// /cloudapi/v6/datacenters/D. One without a region stands for all regions.

export type What = 'made' | 'changed' | 'removed';
export type Change = [what: What, path: string];

interface Interest {
  paths: readonly string[];
  onChange: () => void;
}

const quietMs = 150; // after a change more often come
const mostMs = 1000; // … but nobody waits longer for the first

const interests = new Set<Interest>();

// Calls back when something at or below one of the paths was made, changed or removed, or something above it. Calls are
// gathered: many changes at once are one call.
export function watchChanges(paths: readonly string[], onChange: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let since = 0;
  const interest: Interest = {
    paths,
    onChange() {
      const now = performance.now();
      if (timer === undefined) since = now;
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          timer = undefined;
          onChange();
        },
        Math.max(0, Math.min(quietMs, since + mostMs - now)),
      );
    },
  };
  interests.add(interest);
  return () => {
    clearTimeout(timer);
    interests.delete(interest);
  };
}

export function tellChanges(changes: readonly Change[] | 'all'): void {
  for (const { paths, onChange } of interests)
    if (changes === 'all' || changes.some(([, path]) => paths.some((wanted) => concerns(wanted, path)))) onChange();
}

export const concerns = (wanted: string, path: string): boolean =>
  isInLine(wanted, path) || isInLine(wanted, path.slice(path.indexOf('/', 1)));

// One of them is the other, or above it. A `-` stands for any part: /datacenters/-/servers
function isInLine(wanted: string, path: string): boolean {
  const [own, others] = [partsOf(wanted), partsOf(path)];
  return own.slice(0, others.length).every((part, at) => part === '-' || part === others[at]);
}

const partsOf = (path: string): string[] => path.split('/').filter(Boolean);
