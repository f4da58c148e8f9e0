// The engine's part of operations, which the engine's node performs. Every job may run twice.
import { Fault } from '../../base/fault.ts';
import type { Seal } from '../../base/seal.ts';
import type { Store } from '../../core/store.ts';
import type { StreamingEngine } from '../engine/engine.ts';
import type { Job } from '../tools.ts';
import { hiddenOf, specOf } from './cluster.ts';
import { keepHandle } from './cluster-rows.ts';
import { topicSpecOf } from './topic.ts';

export interface WorkTools {
  store: Store;
  engine: StreamingEngine;
  seal: Seal;
  running: Set<string>; // the clusters that this process has started
}

export const clusterWork =
  ({ store, engine, seal, running }: WorkTools) =>
  async ({ verb, contract, path }: Job): Promise<void> => {
    const row = await store.at(contract, path);
    if (!row) return;
    if (verb === 'start') {
      const handle = await engine.start(specOf(row, seal), hiddenOf(row).handle);
      running.add(row.id);
      return keepHandle(store, row, handle);
    }
    if (verb === 'remove') {
      running.delete(row.id);
      return engine.remove(row.id, hiddenOf(row).handle);
    }
    const cluster = await store.at(contract, path.replace(/\/topics\/[^/]*$/, ''));
    const isGone = !cluster || cluster.state === 'DELETING';
    if (verb === 'delete topic') return isGone ? undefined : engine.deleteTopic(cluster.id, topicSpecOf(row).name);
    if (isGone) throw new Fault('refused', 'The cluster was deleted in the meantime.');
    await engine.createTopic(cluster.id, topicSpecOf(row));
  };
