// Subscriptions of page parts to changes of API paths. A path starts with the prefix of its service:
// /cloudapi/v6/datacenters/D. A path without a region covers all regions.

export type What = 'made' | 'changed' | 'removed';
export type Change = [what: What, path: string];

interface Interest {
  paths: readonly string[];
  onChange: () => void;
}

const quietMs = 150; // a callback waits for this pause after the last change
const maxWaitMs = 1000; // and at most this long after the first one

const interests = new Set<Interest>();

// Calls back when a resource at, below or above one of the paths was created, changed or deleted. Many changes at once
// cause one call.
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
        Math.max(0, Math.min(quietMs, since + maxWaitMs - now)),
      );
    },
  };
  interests.add(interest);
  return () => {
    clearTimeout(timer);
    interests.delete(interest);
  };
}

export function notifyChanges(changes: readonly Change[] | 'all'): void {
  for (const { paths, onChange } of interests)
    if (changes === 'all' || changes.some(([, path]) => paths.some((wanted) => concerns(wanted, path)))) onChange();
}

export const concerns = (wanted: string, path: string): boolean =>
  isInLine(wanted, path) || isInLine(wanted, path.slice(path.indexOf('/', 1)));

// True if the paths are equal or one is above the other. A `-` matches any part: /datacenters/-/servers
function isInLine(wanted: string, path: string): boolean {
  const [own, others] = [partsOf(wanted), partsOf(path)];
  return own.slice(0, others.length).every((part, at) => part === '-' || part === others[at]);
}

const partsOf = (path: string): string[] => path.split('/').filter(Boolean);
