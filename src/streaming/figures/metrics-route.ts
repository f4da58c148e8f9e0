// GET …/clusters/{clusterId}/metrics returns bytes in and out, sizes of topics and lag of groups for a Prometheus
// scraper.
import type { Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Exchange, Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { findRegional } from '../../surface/regional-dialect/find.ts';
import { cluster } from '../clusters/cluster.ts';
import type { StreamingEngine } from '../engine/engine.ts';
import { metricsText } from './cluster-metrics.ts';

const type = 'text/plain; version=0.0.4; charset=utf-8';

// `reach`: connects to the brokers of a cluster, where that is due.
export const metricsRoute = (
  machinery: Machinery,
  engine: StreamingEngine,
  reach: (cluster: Row) => Promise<void>,
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
    const [row] = x.rows as [Row];
    await reach(row);
    return { status: 200, type, body: metricsText(await engine.figures(row.id)) };
  },
});
