// Loki 3. It adds its own labels and metadata unless `discover_service_name: []` and `discover_log_levels: false` are
// set, and deletes only if its compactor has retention.
import { Fault } from '../../../base/fault.ts';
import type { Labels, LogSelection } from '../engine.ts';
import { type Dialect, ownLabel, type RemoteLine, selectorOf, withoutOwn } from './dialect.ts';
import type { Parameters, Server } from './server.ts';

interface Streams {
  data: {
    result: { stream: Labels; values: [time: string, line: string, more?: { structuredMetadata?: Labels }][] }[];
  };
}

const api = 'loki/api/v1';

export function lokiDialect(server: Server): Dialect {
  const headers = (tenant: string): Parameters => ({ 'X-Scope-OrgID': tenant });
  const ask = async <Data>(path: string, { tenant }: LogSelection, parameters: Parameters): Promise<Data> =>
    JSON.parse(await server.get(`${api}/${path}`, parameters, headers(tenant))) as Data;
  return {
    headers,
    pushPath: `${api}/push`,
    async page({ tenant, matchers, contains, fromNs, toNs, direction, limit, signal }) {
      const filters = contains.filter(Boolean).map((text) => ` |= ${JSON.stringify(text)}`);
      const parameters = {
        query: selectorOf(tenant, matchers) + filters.join(''),
        start: String(fromNs),
        end: String(toNs),
        limit: String(limit),
        direction,
      };
      const categorized = { ...headers(tenant), 'X-Loki-Response-Encoding-Flags': 'categorize-labels' };
      const { data } = JSON.parse(await server.get(`${api}/query_range`, parameters, categorized, signal)) as Streams;
      const sign = direction === 'forward' ? 1 : -1;
      return data.result.flatMap(linesOf).sort((a, b) => (a.time === b.time ? 0 : a.time < b.time ? -sign : sign));
    },
    async series(selection) {
      const { data } = await ask<{ data?: Labels[] }>('series', selection, {
        ...rangeOf(selection),
        'match[]': selectorOf(selection.tenant, selection.matchers),
      });
      return (data ?? []).map(withoutOwn);
    },
    async names(selection) {
      const { data } = await ask<{ data?: string[] }>('labels', selection, queryOf(selection));
      return (data ?? []).filter((name) => name !== ownLabel).sort();
    },
    async values(name, selection) {
      const path = `label/${encodeURIComponent(name)}/values`;
      return ((await ask<{ data?: string[] }>(path, selection, queryOf(selection))).data ?? []).sort();
    },
    stats: (selection) => ask('index/stats', selection, queryOf(selection)),
    async drop(tenant) {
      const parameters = new URLSearchParams({ query: selectorOf(tenant, []), start: '0' });
      try {
        await server.post(`${api}/delete?${parameters}`, '', headers(tenant));
        return undefined;
      } catch (error) {
        if (error instanceof Fault && error.kind === 'refused') return error.message;
        throw error;
      }
    },
  };
}

const rangeOf = ({ fromNs, toNs }: LogSelection): Parameters => ({ start: String(fromNs), end: String(toNs) });
const queryOf = (selection: LogSelection): Parameters => ({
  ...rangeOf(selection),
  query: selectorOf(selection.tenant, selection.matchers),
});

function linesOf({ stream, values }: Streams['data']['result'][number]): RemoteLine[] {
  const labels = withoutOwn(stream);
  return values.map(([time, text, more]) => ({
    labels,
    time: BigInt(time),
    text,
    metadata:
      more?.structuredMetadata && Object.keys(more.structuredMetadata).length > 0 ? more.structuredMetadata : undefined,
  }));
}
