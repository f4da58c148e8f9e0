// Resources of an interrupted creation: the process may have ended after it created one and before it recorded it.
import type { Values } from '../../base/json.ts';
import type { SeedClient } from '../seed-client.ts';

// Returns the path of an existing resource, after those of its volumes, if it was created since then. An older one
// belongs to others.
export async function createdSince(client: SeedClient, path: string, since: string): Promise<string[]> {
  const { body } = await client.call('GET', `${path}?depth=2`);
  const { createdDate } = (body.metadata ?? {}) as { createdDate?: string };
  const sinceMs = Math.floor(Date.parse(since) / 1000) * 1000; // some dates have no milliseconds
  if (createdDate === undefined || Date.parse(createdDate) < sinceMs) return [];
  const { volumes } = (body.entities ?? {}) as { volumes?: { items?: Values[] } };
  return [...(volumes?.items ?? []).map(({ href }) => new URL(String(href)).pathname), path];
}
