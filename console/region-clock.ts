// The region's time, which the lab can move: the last value that was read, and the current time derived from it.
import { signal } from '@preact/signals';
import type { Facts } from './session.ts';

export const regionClock = signal<Facts['clock'] | undefined>(undefined);

let aheadOfBrowserMs = 0;

export function setRegionClock(clock: Facts['clock']): void {
  aheadOfBrowserMs = Date.parse(clock.now) - Date.now();
  regionClock.value = clock;
}

export const regionNowMs = (): number => Date.now() + aheadOfBrowserMs;
