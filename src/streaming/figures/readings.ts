// Reads the metrics of the clusters that run on this node. The engine's counters restart with the brokers of a cluster,
// and end with it; the sums here only grow.
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { everyCluster } from '../clusters/cluster-rows.ts';
import type { ClusterFigures, StreamingEngine } from '../engine/engine.ts';
import type { StreamingFigures } from './table.ts';

export interface Reading {
  cluster: Row;
  figures: ClusterFigures;
}

export type Traffic = Pick<ClusterFigures, 'bytesIn' | 'bytesOut' | 'requests' | 'refusedHandshakes'>;

export interface ClusterTraffic {
  cluster: Row;
  traffic: Traffic;
}

const counted = ['bytesIn', 'bytesOut', 'requests', 'refusedHandshakes'] as const;
const none: Traffic = { bytesIn: 0, bytesOut: 0, requests: 0, refusedHandshakes: 0 };

export class Readings {
  readonly #store: Store;
  readonly #engine: StreamingEngine;
  readonly #isRunning: (id: string) => boolean;
  readonly #before = new Map<string, Traffic>(); // by the id of the cluster
  readonly #sum: Traffic = { ...none };
  #unbilled = new Map<string, ClusterTraffic>();
  #reading: Promise<Reading[]> | undefined;

  constructor(store: Store, engine: StreamingEngine, isRunning: (id: string) => boolean) {
    this.#store = store;
    this.#engine = engine;
    this.#isRunning = isRunning;
  }

  // One reading at a time: callers that arrive during a reading share its result.
  read(): Promise<Reading[]> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<Reading[]> {
    const readings: Reading[] = [];
    for await (const cluster of everyCluster(this.#store)) {
      if (!this.#isRunning(cluster.id)) continue;
      const figures = await this.#engine.figures(cluster.id).catch(() => undefined); // it is starting or stopping
      if (!figures) continue;
      readings.push({ cluster, figures });
      this.#count(cluster, figures);
    }
    const seen = new Set(readings.map(({ cluster }) => cluster.id));
    for (const id of this.#before.keys()) if (!seen.has(id)) this.#before.delete(id);
    return readings;
  }

  #count(cluster: Row, figures: ClusterFigures): void {
    const before = this.#before.get(cluster.id) ?? none;
    const unbilled = this.#unbilled.get(cluster.id) ?? { cluster, traffic: { ...none } };
    for (const name of counted) {
      const grown = figures[name] >= before[name] ? figures[name] - before[name] : figures[name];
      this.#sum[name] += grown;
      unbilled.traffic[name] += grown;
    }
    this.#unbilled.set(cluster.id, unbilled);
    this.#before.set(cluster.id, figures);
  }

  // Returns the traffic since the last call, of clusters that had any.
  takeTraffic(): ClusterTraffic[] {
    const taken = [...this.#unbilled.values()].filter(({ traffic }) => traffic.requests > 0);
    this.#unbilled = new Map();
    return taken;
  }

  async figures(): Promise<StreamingFigures> {
    const all = (await this.read()).map(({ figures }) => figures);
    const sum = (of: (figures: ClusterFigures) => number): number => all.reduce((total, one) => total + of(one), 0);
    const lags = all.flatMap(({ groups }) =>
      groups.map(({ lag }) => lag.reduce((total, one) => total + one.records, 0)),
    );
    return {
      ...this.#sum,
      clusters: all.length,
      connections: sum(({ connections }) => connections),
      partitions: sum(({ partitions }) => partitions),
      storedBytes: sum(({ storedBytes }) => storedBytes),
      groups: lags.length,
      lagRecords: lags.reduce((total, lag) => total + lag, 0),
      largestLagRecords: Math.max(0, ...lags),
    };
  }
}
