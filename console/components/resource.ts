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

// Aborts when the component is unmounted.
export function useAbortSignal(): AbortSignal {
  const controller = useMemo(() => new AbortController(), []);
  useLayoutEffect(() => () => controller.abort(), []);
  return controller.signal;
}

// Loads again regularly while the page is visible, for states that change without a change of a resource.
export function useRefresh<T>(resource: Resource<T>, everyMs: number): void {
  useLayoutEffect(() => {
    const timer = setInterval(() => !document.hidden && void resource.reload(), everyMs);
    return () => clearInterval(timer);
  }, []);
}
