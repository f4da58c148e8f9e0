// The maximum numbers of certificates, auto-certificates and providers of a contract.
import { Fault } from '../../base/fault.ts';
import type { Draft } from '../../core/resource.ts';
import type { Store } from '../../core/store.ts';

// Each with its name in messages and the name of its counter.
const limits = {
  certificates: { most: 2000, named: 'certificates', counter: 'certificates' },
  autoCertificates: { most: 1000, named: 'auto-certificates', counter: 'certificates auto' },
  providers: { most: 200, named: 'providers of certificates', counter: 'certificates providers' },
} as const;

// Counts a new one against its limit.
export async function countOne(
  { contract, reservations }: Pick<Draft, 'contract' | 'reservations'>,
  store: Pick<Store, 'counted'>,
  kind: keyof typeof limits,
): Promise<void> {
  const { most, named, counter } = limits[kind];
  if ((await store.counted(contract, counter)) >= most)
    throw new Fault('refused', `The contract has ${most} ${named} already, which is the maximum. Delete one first.`);
  reservations.counts[counter] = 1;
}
