// The flows of one flow log in one interval that this process has captured: a cache of its chunks, which are filled one
// after another. A caller that adds flows must write the result of `add`, and may keep the buffer only if the write
// succeeded; the rows are the truth.
import { uuid } from '../../base/ids.ts';
import type { Key, Row, Write } from '../../core/state/engine.ts';
import { type Chunk, captureKey, chunkKey, chunkRow } from './capture-rows.ts';
import { addTotals, type FlowTotals, flowKey, type PassedFlow, type SkippedFlows, totalsOf } from './flow-totals.ts';
import { startSeconds } from './interval.ts';

const flowsPerChunk = 100; // about 8 KB: the write cost of a single packet of a known flow

interface OpenChunk extends Chunk {
  key: Key;
  version: number; // 0: it is not written yet
}

interface KnownFlow {
  totals: FlowTotals;
  chunk: OpenChunk;
}

export class IntervalBuffer {
  readonly interval: number;
  #flowLogId: string;
  #capture: { row: Row; isNew: boolean };
  #room: number; // how many more flows may be captured
  #writer = uuid();
  #chunks: OpenChunk[] = [];
  #flows = new Map<string, KnownFlow>();
  #isSkipping = false;

  constructor(flowLogId: string, interval: number, capture: { row: Row; isNew: boolean }, room: number) {
    this.#flowLogId = flowLogId;
    this.interval = interval;
    this.#capture = capture;
    this.#room = room;
  }

  get size(): number {
    return this.#flows.size;
  }

  // Flows beyond the bound are skipped, which the interval's object records.
  add(flows: readonly (PassedFlow | SkippedFlows)[]): Write[] {
    const changed = new Set<OpenChunk>();
    for (const flow of flows) {
      const chunk = 'isSkipped' in flow ? this.#skip() : this.#addFlow(flow);
      if (chunk) changed.add(chunk);
    }
    if (changed.size === 0) return [];
    return [this.#captureWrite(), ...[...changed].map(chunkWrite)];
  }

  #addFlow(flow: PassedFlow): OpenChunk | undefined {
    // An earlier interval may have been closed before the flow was written.
    const seconds = Math.max(Math.floor(flow.time / 1000), startSeconds(this.interval));
    const key = flowKey(flow);
    const known = this.#flows.get(key);
    if (known) {
      addTotals(known.totals, { packets: flow.packets, bytes: flow.bytes, first: seconds, last: seconds });
      return known.chunk;
    }
    if (this.#room <= 0) return this.#skip();
    this.#room -= 1;
    const totals = totalsOf(flow, seconds);
    const chunk = this.#chunkWithRoom();
    chunk.flows.push(totals);
    this.#flows.set(key, { totals, chunk });
    return chunk;
  }

  #skip(): OpenChunk | undefined {
    if (this.#isSkipping) return undefined;
    this.#isSkipping = true;
    const chunk = this.#chunks[0] ?? this.#chunkWithRoom();
    chunk.skipped = true;
    return chunk;
  }

  #chunkWithRoom(): OpenChunk {
    const last = this.#chunks.at(-1);
    if (last && last.flows.length < flowsPerChunk) return last;
    const key = chunkKey(this.#flowLogId, this.interval, this.#writer, this.#chunks.length);
    const chunk = { key, version: 0, flows: [], skipped: false };
    this.#chunks.push(chunk);
    return chunk;
  }

  #captureWrite(): Write {
    const { row, isNew } = this.#capture;
    if (!isNew) return { op: 'guard', table: 'resource', key: captureKey(this.#flowLogId), version: row.version };
    this.#capture = { row, isNew: false };
    return { op: 'insert', table: 'resource', row };
  }
}

function chunkWrite(chunk: OpenChunk): Write {
  const op = chunk.version === 0 ? 'insert' : 'update';
  const row = chunkRow(chunk.key, chunk.version || 1, chunk);
  chunk.version += 1;
  return { op, table: 'resource', row };
}
