// The query of the address, which names the shown folder, tab or object. Each step within the page is a step in the
// browser's history.
import { type Signal, signal } from '@preact/signals';
import { useLayoutEffect, useMemo } from 'preact/hooks';

export interface Query {
  values: Signal<URLSearchParams>;
  go(values: Readonly<Record<string, string | undefined>>): void;
}

export function useQuery(): Query {
  const values = useMemo(() => signal(new URLSearchParams(location.search)), []);
  useLayoutEffect(() => {
    const path = location.pathname;
    const read = (): void => {
      if (location.pathname === path) values.value = new URLSearchParams(location.search);
    };
    addEventListener('popstate', read);
    return () => removeEventListener('popstate', read);
  }, []);
  const go: Query['go'] = (given) => {
    const pairs = Object.entries(given).filter((pair): pair is [string, string] => !!pair[1]);
    const search = new URLSearchParams(pairs).toString();
    history.pushState(history.state, '', `${location.pathname}${search && `?${search}`}`);
    values.value = new URLSearchParams(search);
  };
  return { values, go };
}
