// The names of resources of many requests, read by one call. If it fails, ids are shown instead.
import { call } from '../api.ts';

export type RequestNames = Readonly<Record<string, Readonly<Record<string, string>>>>; // by request and resource id

const mostAtOnce = 200;

export async function requestNames(ids: readonly string[], signal: AbortSignal): Promise<RequestNames> {
  const parts: string[][] = [];
  for (let from = 0; from < ids.length; from += mostAtOnce) parts.push(ids.slice(from, from + mostAtOnce));
  const answers = await Promise.all(
    parts.map(async (part) => {
      const path = `/console/request-names?ids=${part.join(',')}`;
      return call<{ names: RequestNames }>('GET', path, { signal }).catch(() => ({ names: {} }));
    }),
  );
  return Object.assign({}, ...answers.map(({ names }) => names)) as RequestNames;
}
