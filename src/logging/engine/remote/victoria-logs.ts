// VictoriaLogs, queried with LogsQL. Its tenants are two numbers of 32 bits, which are derived from the name; it
// deletes only by its retention.
import { createHash } from 'node:crypto';
import type { Labels, LogSelection } from '../engine.ts';
import { type Dialect, escapePattern, ownLabel, type RemoteLine, selectorOf, withoutOwn } from './dialect.ts';
import type { Parameters, Server } from './server.ts';

const api = 'select/logsql';
const anchored = (pattern: string): string => `^(?:${pattern})$`;

export function victoriaDialect(server: Server): Dialect {
  const ask = (path: string, tenant: string, parameters: Parameters, signal?: AbortSignal): Promise<string> =>
    server.post(`${api}/${path}`, new URLSearchParams(parameters), tenantOf(tenant), signal);
  const valuesOf = async (path: string, selection: LogSelection, more: Parameters = {}): Promise<string[]> => {
    const answer = await ask(path, selection.tenant, { query: queryOf(selection), ...more });
    return (JSON.parse(answer) as { values: { value: string }[] }).values.map(({ value }) => value);
  };
  return {
    headers: tenantOf,
    pushPath: 'insert/loki/api/v1/push?disable_message_parsing=1',
    async page({ contains, direction, limit, signal, ...selection }) {
      const filters = contains.filter(Boolean).map((text) => ` _msg:~${JSON.stringify(escapePattern(text))}`);
      const order = direction === 'forward' ? '' : ' desc';
      const query = `${queryOf(selection)}${filters.join('')} | sort by (_time${order}) limit ${limit}`;
      const text = await ask('query', selection.tenant, { query }, signal);
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => lineOf(JSON.parse(line) as Labels));
    },
    series: async (selection) => (await valuesOf('streams', selection)).map(streamLabels).map(withoutOwn),
    async names(selection) {
      return (await valuesOf('stream_field_names', selection)).filter((name) => name !== ownLabel).sort();
    },
    values: async (name, selection) => (await valuesOf('stream_field_values', selection, { field: name })).sort(),
    async stats(selection) {
      const counts = 'stats count() entries, sum_len(_msg) bytes, count_uniq(_stream_id) streams';
      const text = await ask('query', selection.tenant, { query: `${queryOf(selection)} | ${counts}` });
      const { entries, bytes, streams } = JSON.parse(text || '{}') as Record<string, string>;
      const number = (value: string | undefined): number => Number(value) || 0;
      return { entries: number(entries), bytes: number(bytes), streams: number(streams), chunks: number(streams) };
    },
    drop: async () => 'VictoriaLogs deletes lines only by its own retention',
  };
}

function tenantOf(tenant: string): Parameters {
  const hash = createHash('sha256').update(tenant).digest();
  return { AccountID: String(hash.readUInt32BE(0)), ProjectID: String(hash.readUInt32BE(4)) };
}

const queryOf = ({ tenant, matchers, fromNs, toNs }: LogSelection): string =>
  `_time:[${isoNs(fromNs)}, ${isoNs(toNs)}) ${selectorOf(tenant, matchers, anchored)}`;

const secondNs = 1_000_000_000n;
const latest = 4_102_444_800n * secondNs; // the year 2100

function isoNs(time: bigint): string {
  const within = time > latest ? latest : time < 0n ? 0n : time;
  const seconds = new Date(Number(within / secondNs) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(within % secondNs).padStart(9, '0')}Z`;
}

function lineOf({ _time = '', _msg = '', _stream = '{}', _stream_id, ...fields }: Labels): RemoteLine {
  const labels = streamLabels(_stream);
  const metadata = Object.entries(fields).filter(([name]) => !(name in labels));
  const [, fraction = ''] = /\.(\d+)Z$/.exec(_time) ?? [];
  return {
    labels: withoutOwn(labels),
    time: BigInt(Date.parse(`${_time.slice(0, 19)}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0')),
    text: _msg,
    metadata: metadata.length > 0 ? Object.fromEntries(metadata) : undefined,
  };
}

// {app="shop",env="prod"}, with strings in Go's quoting.
function streamLabels(text: string): Labels {
  const labels: Record<string, string> = {};
  for (const [, bare, quoted, value = '""'] of text.matchAll(/([^{},="]+)=("(?:[^"\\]|\\.)*")|("(?:[^"\\]|\\.)*")=/g))
    labels[bare ?? String(quoted)] = JSON.parse(bare === undefined ? value : String(quoted)) as string;
  return labels;
}
