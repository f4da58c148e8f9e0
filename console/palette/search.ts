// Things of the region by name or id.
import { call } from '../api.ts';

export interface Thing {
  name: string;
  kind: string; // Server
  path: string; // in the API, with the prefix of its service
}

export async function searchThings(text: string, signal: AbortSignal): Promise<readonly Thing[]> {
  const query = new URLSearchParams({ text });
  const { things } = await call<{ things: Thing[] }>('GET', `/console/search?${query}`, { signal });
  return things;
}
