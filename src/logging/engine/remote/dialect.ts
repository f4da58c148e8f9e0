// The differences between log servers. A tenant is identified by headers, and by a label of ours on every stream, which
// separates the tenants on servers without tenant support.
import type { Labels, LogSelection, LogStats, Matcher } from '../engine.ts';
import type { Parameters, Server } from './server.ts';

export interface RemoteLine {
  labels: Labels;
  time: bigint;
  text: string;
  metadata: Labels | undefined;
}

export interface PageQuery extends LogSelection {
  direction: 'forward' | 'backward';
  contains: readonly string[];
  limit: number;
  signal: AbortSignal | undefined;
}

export interface Dialect {
  headers(tenant: string): Parameters;
  pushPath: string; // accepts the push format of Loki
  // Returns the first lines of the range in the direction, in order.
  page(query: PageQuery): Promise<RemoteLine[]>;
  series(selection: LogSelection): Promise<Labels[]>;
  names(selection: LogSelection): Promise<string[]>;
  values(name: string, selection: LogSelection): Promise<string[]>;
  stats(selection: LogSelection): Promise<LogStats>;
  // Returns the reason if the server does not delete.
  drop(tenant: string): Promise<string | undefined>;
}

export type DialectOf = (server: Server) => Dialect;

export const ownLabel = 'cumulet_pipeline';

// The selector in the syntax of both servers: {app="shop",code=~"4.."}.
export function selectorOf(
  tenant: string,
  matchers: readonly Matcher[],
  anchored = (pattern: string) => pattern,
): string {
  const parts = matchers.map(({ name, operator, value }) => {
    const isPattern = operator === '=~' || operator === '!~';
    return `${name}${operator}${JSON.stringify(isPattern ? anchored(value) : value)}`;
  });
  return `{${[`${ownLabel}=${JSON.stringify(tenant)}`, ...parts].join(',')}}`;
}

export function withoutOwn(labels: Labels): Labels {
  const { [ownLabel]: _, ...others } = labels;
  return others;
}

export const escapePattern = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
