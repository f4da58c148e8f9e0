// Which parts of a page want to hear of which changes, and how the stream of events is read. A path begins with the
// prefix of its service, as in the API: /cloudapi/v6/datacenters/D. One without a region stands for all regions.

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

export function concerns(wanted: string, path: string): boolean {
  if (isWithin(wanted, path) || isWithin(path, wanted)) return true;
  const withoutRegion = path.slice(path.indexOf('/', 1));
  return isWithin(wanted, withoutRegion) || isWithin(withoutRegion, wanted);
}

const isWithin = (above: string, path: string): boolean =>
  path.startsWith(above) && (path.length === above.length || path[above.length] === '/' || above.endsWith('/'));

export interface StreamEvent {
  event: string;
  data: string;
}

export async function* eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield eventOf(block);
  }
}

function eventOf(block: string): StreamEvent {
  const fields = block.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line) ?? ['', '', '']);
  const valuesOf = (name: string): string[] =>
    fields.filter((field) => field[1] === name).map((field) => field[2] ?? '');
  return { event: valuesOf('event').at(-1) ?? 'message', data: valuesOf('data').join('\n') };
}
