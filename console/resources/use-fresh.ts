// Loads data when a part of a page is shown, and again when the region reports a change. While an operation runs, it
// also reloads every second, because the feed may be late.
import { useLayoutEffect } from 'preact/hooks';
import { useChanges } from '../live.ts';

const underWayMs = 1000;

export function useFresh(paths: readonly string[], reload: () => Promise<void>, isUnderWay: boolean): void {
  useLayoutEffect(() => void reload(), []);
  useChanges(paths, () => void reload());
  useLayoutEffect(() => {
    if (!isUnderWay) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) void reload();
    }, underWayMs);
    return () => clearInterval(timer);
  }, [isUnderWay]);
}
