// GET …/clusters/{clusterId}/metrics: bytes in and out, sizes of topics and lag of groups, for a Prometheus that
// scrapes.
import type { Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Exchange, Route } from '../../surface/http/exchange.ts';
import { forward } from '../../surface/http/forward.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { findRegional } from '../../surface/regional-dialect/find.ts';
import { cluster } from '../clusters/cluster.ts';
import type { StreamingEngine } from '../engine/engine.ts';
import { metricsText } from './cluster-metrics.ts';

const type = 'text/plain; version=0.0.4; charset=utf-8';

// `elsewhere`: the address of the node that has the brokers, where that is another one.
export const metricsRoute = (
  machinery: Machinery,
  engine: StreamingEngine,
  elsewhere: () => Promise<string | undefined>,
): Route => ({
  method: 'GET',
  path: `/clusters/{${cluster.name}Id}/metrics`,
  operation: `${cluster.name}_metrics`,
  summary: 'Read bytes in and out, sizes of topics, and the lag of consumer groups, as Prometheus metrics',
  unaudited: true,
  replySchema: { type: 'string' },
  replyTypes: ['text/plain'],
  resolve: (x) => findRegional(machinery, x, [], cluster as Resource, 'get'),
  async call(x: Exchange) {
    const away = await elsewhere();
    if (away !== undefined)
      return forward(x, away, `${x.prefix}${x.path}`, `The brokers of this region run on another node, at ${away}.`);
    const [row] = x.rows as [Row];
    return { status: 200, type, body: metricsText(await engine.figures(row.id)) };
  },
});
