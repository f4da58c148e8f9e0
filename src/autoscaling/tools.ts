// The tools that the decisions of auto scaling use.
import type { Seal } from '../base/seal.ts';
import type { Bounds } from '../core/operation/reservations.ts';
import type { ReplicaServers } from '../surface/ports.ts';

export interface AutoscalingTools {
  servers(): ReplicaServers; // once all products are open
  seal: Pick<Seal, 'open' | 'close'>;
  bounds(contract: number): Promise<Bounds>; // the contract's limits
}
