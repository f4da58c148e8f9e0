// Data of a component.
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { Resource } from './fetched.ts';

// Loads data when the component is mounted, and aborts when it is unmounted.
export function useResource<T>(fetch: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const signal = useAbortSignal();
  const resource = useMemo(() => new Resource(fetch, signal), []);
  useLayoutEffect(() => void resource.reload(), []);
  return resource;
}

// Loads data again at an interval while the page is visible. For data whose changes no stream reports, such as metrics.
export function useRefresh(resource: Resource<unknown>, everyMs: number): void {
  useLayoutEffect(() => {
    const timer = setInterval(() => !document.hidden && void resource.reload(), everyMs);
    return () => clearInterval(timer);
  }, [resource]);
}

// Aborts when the component is unmounted.
export function useAbortSignal(): AbortSignal {
  const controller = useMemo(() => new AbortController(), []);
  useLayoutEffect(() => () => controller.abort(), []);
  return controller.signal;
}
