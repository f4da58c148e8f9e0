// What differs between log servers. A tenant is told by headers, and by a label of ours that every stream has: a server
// that knows no tenants keeps them apart all the same.
import type { Labels, LogSelection, LogStats, Matcher } from '../engine.ts';
import type { Parameters } from './server.ts';

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
  pushPath: string; // takes the push format of Loki
  // The first lines of the range in the direction, in order.
  page(query: PageQuery): Promise<RemoteLine[]>;
  series(selection: LogSelection): Promise<Labels[]>;
  names(selection: LogSelection): Promise<string[]>;
  values(name: string, selection: LogSelection): Promise<string[]>;
  stats(selection: LogSelection): Promise<LogStats>;
  // Undefined, or why the server does not delete.
  drop(tenant: string): Promise<string | undefined>;
}

export const ownLabel = 'cumulet_pipeline';

// As both servers write it: {app="shop",code=~"4.."}.
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
