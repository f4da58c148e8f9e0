// The servers of compute, for groups in a separate store.
import { openScalingBench, type ScalingBench } from './autoscaling/testing.ts';
import { computeResources, computeTools } from './compute/index.ts';
import { MachineMeter } from './compute/machine/meter.ts';
import { SimulatedDisks } from './compute/machine/simulated-disks.ts';
import { SimulatedMachines } from './compute/machine/simulated-machines.ts';
import { replicasOf } from './compute/server/replica-servers.ts';
import { machineIn } from './compute/server/server-machine.ts';
import type { Row } from './core/state/engine.ts';

export async function openBench(): Promise<ScalingBench & { datacenter: Row }> {
  const bench = await openScalingBench(({ store, model, now }) => {
    const machines = new SimulatedMachines(now);
    const buckets = { exists: async () => true, canWrite: async () => true };
    const tools = computeTools(store, {
      contracts: async () => [1],
      limits: async () => ({}),
      buckets,
      certificate: async () => undefined,
      certificatePem: async () => undefined,
      machines,
      disks: new SimulatedDisks('key'),
    });
    model.add(computeResources, tools);
    return replicasOf({ store, model }, new MachineMeter(store, machines, machineIn), machines);
  });
  const resource = bench.options.model.get('datacenter');
  const made = await bench.create(resource, { name: 'a datacenter', location: 'de/txl' });
  const datacenter = (await bench.store.get(1, made.place, made.id)) as Row;
  return { ...bench, datacenter };
}
