// Reads the live traffic of a datacenter while the page is visible.
import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAbortSignal } from '../../components/resource.ts';
import { everyMs, noRates, type Rates, type Reading, ratesOf } from './live-traffic.ts';

// `path`: of the datacenter, below its service.
export function useRates(path: string): Signal<Rates> {
  const rates = useSignal<Rates>(noRates);
  const signal = useAbortSignal();
  useLayoutEffect(() => {
    let before: Reading | undefined;
    let isReading = false;
    const read = async (): Promise<void> => {
      if (document.hidden || isReading) return;
      isReading = true;
      try {
        const now = await call<Reading>('GET', `/console/traffic/${path.split('/').at(-1)}`, { signal });
        rates.value = ratesOf(before, now) ?? rates.value;
        before = now;
      } catch {
        rates.value = noRates; // for example while the node that keeps the machines is down
      }
      isReading = false;
    };
    void read();
    const timer = setInterval(() => void read(), everyMs);
    return () => clearInterval(timer);
  }, [path]);
  return rates;
}
