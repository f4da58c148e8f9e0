// Routes for the console that show clusters and topics beyond the public API, because browsers can't be Kafka clients.
// Users who may read a cluster may read this, too; those who may change it may send messages.
import { Fault } from '../../base/fault.ts';
import type { Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { findRegional } from '../../surface/regional-dialect/find.ts';
import { cluster } from '../clusters/cluster.ts';
import { topic } from '../clusters/topic.ts';
import type { StreamingEngine } from '../engine/engine.ts';
import type { Inspections, MessageQuestion, TailPages } from '../engine/inspection.ts';
import { newMessage } from './new-message.ts';

export interface InspectionTools {
  machinery: Machinery;
  engine: StreamingEngine;
}

const front = `/streaming/clusters/{${cluster.name}Id}`;
const ofTopic = `${front}/topics/{${topic.name}Id}`;
const mostMessages = 200;
const shortBytes = 4 * 1024; // of each value in a list
const wholeBytes = 1024 * 1024; // of one message alone
const largestOffset = Number.MAX_SAFE_INTEGER;

export function inspectionRoutes({ machinery, engine }: InspectionTools): Route[] {
  const inspections = (): Inspections => {
    if (engine.inspections) return engine.inspections;
    throw new Fault(
      'refused',
      'The brokers are Apache Kafka. Use its own tools to see partitions, groups and messages.',
    );
  };
  const route = (path: string, operation: string, summary: string, above: Resource[], of: Resource, call: Call) => ({
    method: 'GET',
    path,
    operation,
    summary,
    unaudited: true,
    resolve: (x: Exchange) => findRegional(machinery, x, above, of, 'get'),
    call: async (x: Exchange): Promise<Reply> =>
      json(200, await call(inspections(), x.rows, x), ['Cache-Control', 'no-store']),
  });
  const [clusters, topics] = [cluster as Resource, topic as Resource];
  return [
    route(front, 'webconsole_cluster', 'Read the brokers and groups of a cluster', [], clusters, (engineOf, [row]) =>
      engineOf.cluster((row as Row).id),
    ),
    route(
      ofTopic,
      'webconsole_topic',
      'Read the partitions and groups of a topic',
      [clusters],
      topics,
      (engineOf, rows) => engineOf.topic((rows[0] as Row).id, nameOf(rows[1] as Row)),
    ),
    {
      ...route(
        `${ofTopic}/messages`,
        'webconsole_messages',
        'Messages of a partition',
        [clusters],
        topics,
        (engineOf, rows, x) => engineOf.messages(questionOf(x.search, rows as [Row, Row])),
      ),
      unaudited: false,
      auditOnce: 'hour',
    },
    {
      ...route(
        `${ofTopic}/tail`,
        'webconsole_messages_tail',
        'New messages of several partitions',
        [clusters],
        topics,
        (engineOf, rows, x) => tail(engineOf, rows as [Row, Row], x.search),
      ),
      unaudited: false,
      auditOnce: 'hour',
    },
    {
      method: 'POST',
      path: `${ofTopic}/messages`,
      operation: 'webconsole_message_produce',
      summary: 'Send a message',
      takesBody: true,
      bodyLimit: 2 * wholeBytes,
      auditOnce: 'hour',
      resolve: (x: Exchange) => findRegional(machinery, x, [clusters], topics, 'change'),
      call: async (x: Exchange): Promise<Reply> =>
        json(201, await inspections().produce(newMessage(x.body, x.rows as [Row, Row]))),
    },
  ];
}

const mostPartitions = 16;
const mostAtOnce = 100; // of each partition

// `after=0:17,1:4`: the first offset to read of each partition.
async function tail(inspections: Inspections, [{ id }, row]: [Row, Row], search: URLSearchParams): Promise<TailPages> {
  const parts = (search.get('after') ?? '').split(',');
  const from = parts.map((part) => /^(\d{1,7}):(\d{1,16})$/.exec(part)?.slice(1).map(Number) ?? []);
  if (parts.length > mostPartitions || from.some((one) => one.length < 2))
    throw new Fault(
      'refused',
      `[after] Expected a partition and an offset, as in 0:17, for 1 to ${mostPartitions} partitions.`,
    );
  const common = { id, topic: nameOf(row), limit: mostAtOnce, valueBytes: shortBytes };
  const pages = await Promise.all(
    from.map(([partition = 0, offset = 0]) => inspections.messages({ ...common, partition, at: { offset } })),
  );
  return { pages };
}

type Call = (inspections: Inspections, rows: readonly Row[], x: Exchange) => Promise<object>;

const nameOf = ({ body }: Row): string => (JSON.parse(body) as { name: string }).name;

// `at` is newest, oldest, an offset, or a time of RFC 3339.
function questionOf(search: URLSearchParams, [{ id }, row]: [Row, Row]): MessageQuestion {
  const limit = whole(search, 'limit', 50, 1, mostMessages);
  return {
    id,
    topic: nameOf(row),
    partition: whole(search, 'partition', 0, 0, 1_000_000),
    at: placeOf(search),
    limit,
    valueBytes: limit === 1 ? wholeBytes : shortBytes,
  };
}

function placeOf(search: URLSearchParams): MessageQuestion['at'] {
  const at = search.get('at') ?? 'newest';
  if (at === 'newest' || at === 'oldest') return at;
  if (/^\d+$/.test(at)) return { offset: whole(search, 'at', 0, 0, largestOffset) };
  const timeMs = /^\d{4}-/.test(at) ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(timeMs))
    throw new Fault('refused', "[at] Expected 'newest', 'oldest', an offset or an RFC 3339 time.");
  return { timeMs };
}

function whole(search: URLSearchParams, name: string, otherwise: number, least: number, most: number): number {
  const text = search.get(name);
  const number = text === null ? otherwise : /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Fault('refused', `[${name}] Expected a whole number from ${least} to ${most}.`);
}
