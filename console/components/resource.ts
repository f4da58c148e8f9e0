// Data of a component: fetched when it is shown, and given up when it goes.
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { Resource } from './fetched.ts';

// Loaded when the component is shown, and given up when it goes.
export function useResource<T>(fetch: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const signal = useAbortSignal();
  const resource = useMemo(() => new Resource(fetch, signal), []);
  useLayoutEffect(() => void resource.reload(), []);
  return resource;
}

// Aborted when the component goes.
export function useAbortSignal(): AbortSignal {
  const controller = useMemo(() => new AbortController(), []);
  useLayoutEffect(() => () => controller.abort(), []);
  return controller.signal;
}
