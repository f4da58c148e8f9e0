// Keeps the rows of topics in line with the broker, where Kafka clients create, change and delete topics as well. The
// rows are read before the topics: a row without a topic was deleted by a client. A topic that the API is creating has
// its row, and its claim on the name, before the broker knows it.
import { uuid } from '../../base/ids.ts';
import { equalJson, type Values } from '../../base/json.ts';
import { hiddenText, removalWrites } from '../../core/operation/operation.ts';
import { noReservations, reserveWrites } from '../../core/operation/reservations.ts';
import { failureOf } from '../../core/regional.ts';
import { pathOf } from '../../core/resource.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { StreamingEngine, TopicFacts } from '../engine/engine.ts';
import { type TopicValues, topic, topicClaim, valuesOf } from './topic.ts';

export interface SyncTools {
  store: Store;
  engine: StreamingEngine;
  now(): number;
}

// Returns whether any row had to be changed.
export async function syncTopics(tools: SyncTools, cluster: Row): Promise<boolean> {
  const { store, engine } = tools;
  const rows = await store.children(cluster.contract, `${pathOf(cluster)}/topics`);
  const settled = new Set<Row>(); // before the query, which lacks topics created in the meantime
  for (const row of rows) if (await isSettled(store, row)) settled.add(row);
  const facts = await engine.topics(cluster.id);
  const known = new Map(rows.map((row) => [nameIn(row), row]));
  const existing = new Set(facts.map(({ name }) => name));
  let isChanged = false;
  for (const one of facts) {
    const row = known.get(one.name);
    const writes = row ? await updateOf(store, row, one) : creationOf(tools, cluster, one);
    if (writes.length > 0) isChanged = (await store.apply(writes)).ok || isChanged;
  }
  for (const row of rows) {
    if (existing.has(nameIn(row)) || !settled.has(row) || !(await isSettled(store, row))) continue;
    isChanged = (await store.apply(removalWrites(topic as never, row, tools.now()))).ok || isChanged;
  }
  return isChanged;
}

const nameIn = ({ body }: Row): string => (JSON.parse(body) as TopicValues).name;

// True if the row is created and no operation is running on it.
const isSettled = async (store: Store, row: Row): Promise<boolean> =>
  row.state === 'AVAILABLE' && failureOf(row) === undefined && !(await store.changing(row.contract, pathOf(row)));

async function updateOf(store: Store, row: Row, facts: TopicFacts): Promise<Write[]> {
  const before = JSON.parse(row.body) as TopicValues;
  const values = valuesOf(facts, before);
  if (equalJson(before as unknown as Values, values) || !(await isSettled(store, row))) return [];
  return [{ op: 'update', table: 'resource', row: { ...row, body: JSON.stringify(values) } }];
}

// The creator of the cluster counts as creator, since a certificate does not name one. The claim detects a conflict
// with the API.
function creationOf({ now }: SyncTools, cluster: Row, facts: TopicFacts): Write[] {
  const { contract, owner, meta } = cluster;
  const holds = { ...noReservations(), claims: [topicClaim(cluster.id, facts.name)] };
  const row = rowOf({
    contract,
    place: `${pathOf(cluster)}/topics`,
    id: uuid(),
    kind: topic.name,
    state: 'AVAILABLE',
    time: now(),
    owner,
    meta: meta.split(',', 1)[0] ?? '',
    body: JSON.stringify(valuesOf(facts)),
    hidden: hiddenText({}, holds),
  });
  return [
    { op: 'guard', table: 'resource', key: cluster, version: cluster.version },
    ...reserveWrites(row, noReservations(), holds, () => undefined),
    { op: 'insert', table: 'resource', row },
  ];
}
