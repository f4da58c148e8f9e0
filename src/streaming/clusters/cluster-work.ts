// The engine's part of operations, which the engine's node performs. Every job may run twice.
import { Fault } from '../../base/fault.ts';
import type { Seal } from '../../base/seal.ts';
import { failureOf } from '../../core/regional.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { StreamingEngine } from '../engine/engine.ts';
import type { Job } from '../tools.ts';
import type { BrokerAssignment } from './broker-assignment.ts';
import { hiddenOf, specOf } from './cluster.ts';
import { keepHandle } from './cluster-rows.ts';
import { topicSpecOf } from './topic.ts';

export interface WorkTools {
  store: Store;
  engine: StreamingEngine;
  seal: Seal;
  assignment: Pick<BrokerAssignment, 'noteServed'>;
  running: Set<string>; // the clusters that this process has started
}

// Every node reaches outside brokers by itself: one that has not done so since the creation of the cluster connects
// now.
export async function reachBrokers(
  { engine, seal, running }: Pick<WorkTools, 'engine' | 'seal' | 'running'>,
  row: Row,
): Promise<void> {
  if (!engine.outside || running.has(row.id) || failureOf(row) !== undefined) return;
  await engine.start(specOf(row, seal), hiddenOf(row).handle);
  running.add(row.id);
}

export const clusterWork = (tools: WorkTools) => {
  const { store, engine, seal, assignment, running } = tools;
  return async ({ verb, contract, path }: Job): Promise<void> => {
    const row = await store.at(contract, path);
    if (!row) return;
    if (verb === 'start') {
      const handle = await engine.start(specOf(row, seal), hiddenOf(row).handle);
      running.add(row.id);
      return keepHandle(store, row, handle);
    }
    if (verb === 'remove') {
      running.delete(row.id);
      await engine.remove(row.id, hiddenOf(row).handle, specOf(row, seal));
      return assignment.noteServed(row);
    }
    const cluster = await store.at(contract, path.replace(/\/topics\/[^/]*$/, ''));
    const isGone = !cluster || cluster.state === 'DELETING';
    if (!isGone) await reachBrokers(tools, cluster);
    if (verb === 'delete topic') return isGone ? undefined : engine.deleteTopic(cluster.id, topicSpecOf(row).name);
    if (isGone) throw new Fault('refused', 'The cluster was deleted in the meantime.');
    await engine.createTopic(cluster.id, topicSpecOf(row));
  };
};
