// Services for the decisions of core infrastructure.
import type { Caller } from '../core/access.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import type { HeldCertificates } from '../surface/ports.ts';
import { AddressPool } from './lan/address-pool.ts';
import { Prefixes } from './lan/ipv6.ts';
import { SequenceNumbers } from './lan/sequence-numbers.ts';
import type { DiskEngine, MachineEngine } from './machine/engine.ts';

// The facts of a bucket from object storage.
export interface BucketCheck {
  exists(caller: Caller, name: string): Promise<boolean>;
  canWrite(contract: number, name: string): Promise<boolean>;
}

export interface ComputeTools {
  addresses: AddressPool;
  sequences: SequenceNumbers;
  prefixes: Prefixes;
  contracts: () => Promise<readonly number[]>;
  limits: (contract: number) => Promise<Readonly<Record<string, number>>>; // of the contract, by the platform's names
  machines: MachineEngine;
  disks: DiskEngine;
  buckets: BucketCheck;
  certificate(contract: number, id: string): Promise<Row | undefined>;
  certificatePem: HeldCertificates['pem'];
}

export const computeTools = (
  store: Store,
  given: Pick<
    ComputeTools,
    'contracts' | 'limits' | 'machines' | 'disks' | 'buckets' | 'certificate' | 'certificatePem'
  >,
): ComputeTools => ({
  addresses: new AddressPool(store),
  sequences: new SequenceNumbers(store),
  prefixes: new Prefixes(store),
  ...given,
});
