// Captures the flows at interfaces with a flow log. `record` resolves when the flows are on disk. Flows that are
// recorded during a write share the next one.
import { SingleFlight } from '../../core/state/single-flight.ts';
import type { Store } from '../../core/store.ts';
import { captureOf, capturePlace, captureRow, chunkPages, flowCount, intervalOf } from './capture-rows.ts';
import type { PassedFlow, SkippedFlows } from './flow-totals.ts';
import { intervalAt } from './interval.ts';
import { IntervalBuffer } from './interval-buffer.ts';

// The part of a flow log that traffic needs.
export interface CapturingFlowLog {
  id: string;
  contract: number;
  path: string;
  interfaceId: string;
  name: string;
  action: 'ACCEPTED' | 'REJECTED' | 'ALL';
  direction: 'INGRESS' | 'EGRESS' | 'BIDIRECTIONAL';
  bucket: string;
}

// The maximum numbers of flows.
export interface CaptureBounds {
  perInterval: number; // of an interface
  waiting: number; // of an interface, in all intervals that are not published yet
  inMemory: number; // of all interfaces
}

export const usualBounds: CaptureBounds = { perInterval: 10_000, waiting: 100_000, inMemory: 200_000 };

export const captures = ({ action, direction }: CapturingFlowLog, flow: Omit<PassedFlow, 'time'>): boolean =>
  (action === 'ALL' || (action === 'ACCEPTED') === (flow.action === 'ACCEPT')) &&
  (direction === 'BIDIRECTIONAL' || direction === flow.direction);

export class FlowCapture {
  #store: Store;
  #bounds: CaptureBounds;
  #interfaces = new Map<string, InterfaceCapture>(); // by flow log, the last used one at the end

  constructor(store: Store, bounds: CaptureBounds = usualBounds) {
    this.#store = store;
    this.#bounds = bounds;
  }

  async record(passed: ReadonlyMap<CapturingFlowLog, readonly (PassedFlow | SkippedFlows)[]>): Promise<void> {
    await Promise.all([...passed].map(([flowLog, flows]) => this.#interfaceOf(flowLog).record(flows)));
    this.#limitMemory();
  }

  #interfaceOf(flowLog: CapturingFlowLog): InterfaceCapture {
    const found = this.#interfaces.get(flowLog.id) ?? new InterfaceCapture(this.#store, flowLog, this.#bounds);
    this.#interfaces.delete(flowLog.id);
    this.#interfaces.set(flowLog.id, found);
    return found;
  }

  // Dropped flows are on disk; their flow log continues with new chunks.
  #limitMemory(): void {
    let size = 0;
    for (const one of this.#interfaces.values()) size += one.size;
    for (const [id, one] of this.#interfaces) {
      if (size <= this.#bounds.inMemory) return;
      size -= one.size;
      this.#interfaces.delete(id);
    }
  }
}

class InterfaceCapture {
  #store: Store;
  #flowLog: CapturingFlowLog;
  #bounds: CaptureBounds;
  #pending: (PassedFlow | SkippedFlows)[] = [];
  #buffer: IntervalBuffer | undefined; // undefined while it is being written, and if that failed
  #writes = new SingleFlight(() => this.#writePending());

  constructor(store: Store, flowLog: CapturingFlowLog, bounds: CaptureBounds) {
    this.#store = store;
    this.#flowLog = flowLog;
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#buffer?.size ?? 0;
  }

  record(flows: readonly (PassedFlow | SkippedFlows)[]): Promise<void> {
    for (const flow of flows) this.#pending.push(flow);
    return this.#writes.get();
  }

  async #writePending(): Promise<void> {
    const intervals = Map.groupBy(this.#pending, ({ time }) => intervalAt(time));
    this.#pending = [];
    for (const [interval, flows] of intervals) await this.#write(interval, flows);
  }

  // A write fails if the publisher has closed an interval in the meantime. Then the rows are read again.
  async #write(interval: number, flows: readonly (PassedFlow | SkippedFlows)[]): Promise<void> {
    this.#buffer = await this.#store.change(async () => {
      const buffer = await this.#takeBuffer(interval);
      return { writes: buffer.add(flows), value: buffer };
    });
  }

  async #takeBuffer(interval: number): Promise<IntervalBuffer> {
    const known = this.#buffer;
    this.#buffer = undefined;
    return known && known.interval >= interval ? known : this.#readBuffer(interval);
  }

  async #readBuffer(requested: number): Promise<IntervalBuffer> {
    const { id, contract, path, interfaceId, bucket, name } = this.#flowLog;
    const empty = { contract, path, interfaceId, bucket, name, closedBefore: 0, object: null, pausedAt: null };
    const found = await this.#store.get(0, capturePlace, id);
    const interval = Math.max(requested, found ? captureOf(found).closedBefore : 0);
    let inInterval = 0;
    let waiting = 0;
    for await (const rows of chunkPages(this.#store, id))
      for (const row of rows) {
        waiting += flowCount(row);
        if (intervalOf(row) === interval) inInterval += flowCount(row);
      }
    const room = Math.min(this.#bounds.perInterval - inInterval, this.#bounds.waiting - waiting);
    const capture = found ? { row: found, isNew: false } : { row: captureRow(id, empty), isNew: true };
    return new IntervalBuffer(id, interval, capture, room);
  }
}
