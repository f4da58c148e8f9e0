// The rows of captured flows. They belong to the region (contract 0), so that captured traffic does not invalidate
// cached resources of the contract. A flow log has
// - one capture row, from its first flow on: which intervals are closed, and which object is being written;
// - chunks of flows, by interval. A chunk is written by one process only; the same flow may be in several chunks.
// A closed interval gets no more flows: a writer of a chunk guards the version of the capture row.
import { type Key, type Row, rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { FlowTotals } from './flow-totals.ts';

export const capturePlace = 'flow-captures';

export interface Capture {
  contract: number;
  path: string; // of the flow log
  interfaceId: string;
  bucket: string; // the flow log's value: with the prefix of the keys
  name: string; // of the flow log, when the last interval was closed
  closedBefore: number; // intervals before this one are closed
  object: { interval: number; key: string } | null; // the one being written, or the last written one
  pausedAt: number | null; // the time since when its bucket is unwritable, in ms
}

export const captureKey = (flowLogId: string): Key => ({ contract: 0, place: capturePlace, id: flowLogId });

export const captureRow = (flowLogId: string, capture: Capture): Row =>
  rowOf({ ...captureKey(flowLogId), kind: 'flow-capture', body: JSON.stringify(capture) });

export const captureOf = ({ body }: Row): Capture => JSON.parse(body) as Capture;

// Reserves the key of an object, so that flow logs of the same name and bucket never write the same object.
export const objectKeyRow = ({ contract, bucket }: Capture, key: string): Row =>
  rowOf({ contract: 0, place: 'flow-objects', id: `${contract}/${bucketOf(bucket).name}/${key}`, kind: 'flow-object' });

// `name/prefix`: the prefix ends with a slash in keys, however it was written.
export function bucketOf(bucket: string): { name: string; prefix: string } {
  const cut = bucket.indexOf('/');
  if (cut < 0) return { name: bucket, prefix: '' };
  const prefix = bucket.slice(cut + 1).replace(/\/+$/, '');
  return { name: bucket.slice(0, cut), prefix: prefix && `${prefix}/` };
}

export const objectKey = (bucket: string, name: string, seconds: number): string =>
  `${bucketOf(bucket).prefix}${name}-${seconds}.log.gz`;

export interface Chunk {
  flows: FlowTotals[];
  skipped: boolean; // flows of the interval that are in no chunk
}

const intervalDigits = 10;
const chunksPlace = (flowLogId: string): string => `${capturePlace}/${flowLogId}/flows`;
const intervalPrefix = (interval: number): string => String(interval).padStart(intervalDigits, '0');

// `writer` is unique among the processes that write chunks.
export const chunkKey = (flowLogId: string, interval: number, writer: string, number: number): Key => ({
  contract: 0,
  place: chunksPlace(flowLogId),
  id: `${intervalPrefix(interval)}/${writer}/${number}`,
});

export const chunkRow = (key: Key, version: number, { flows, skipped }: Chunk): Row =>
  rowOf({
    ...key,
    kind: 'flow-chunk',
    version,
    meta: String(flows.length),
    body: JSON.stringify({ skipped, flows: flows.map(packed) }),
  });

export const intervalOf = ({ id }: Row): number => Number(id.slice(0, intervalDigits));
export const flowCount = ({ meta }: Row): number => Number(meta); // without parsing the flows

export function chunkOf({ body }: Row): Chunk {
  const { skipped, flows } = JSON.parse(body) as { skipped: boolean; flows: Packed[] };
  return { skipped, flows: flows.map(unpacked) };
}

export async function oldestChunk(store: Store, flowLogId: string): Promise<Row | undefined> {
  return (await store.range({ contract: 0, place: chunksPlace(flowLogId), limit: 1 }))[0];
}

export const chunkPages = (store: Store, flowLogId: string): AsyncGenerator<Row[]> =>
  store.pages({ contract: 0, place: chunksPlace(flowLogId) }, 'resource', chunksAtOnce);

export async function chunksOf(store: Store, flowLogId: string, interval: number): Promise<Row[]> {
  const chunks: Row[] = [];
  const scan = { from: intervalPrefix(interval), to: intervalPrefix(interval + 1) };
  const whole = { contract: 0, place: chunksPlace(flowLogId), ...scan };
  for await (const rows of store.pages(whole, 'resource', chunksAtOnce)) chunks.push(...rows);
  return chunks;
}

const chunksAtOnce = 50;

type Packed = [string, string, number, number, number, FlowTotals['action'], number, number, number, number];

const packed = (flow: FlowTotals): Packed => [
  flow.sourceIp,
  flow.targetIp,
  flow.sourcePort,
  flow.targetPort,
  flow.protocol,
  flow.action,
  flow.packets,
  flow.bytes,
  flow.first,
  flow.last,
];

function unpacked([
  sourceIp,
  targetIp,
  sourcePort,
  targetPort,
  protocol,
  action,
  packets,
  bytes,
  first,
  last,
]: Packed): FlowTotals {
  return { sourceIp, targetIp, sourcePort, targetPort, protocol, action, packets, bytes, first, last };
}
