// Calls the region's own API with the cached token of the owner, for commands that show what clients can read.
import { Fault } from '../../base/fault.ts';
import { askRegion } from '../admin/operations.ts';
import { cachedToken } from './token-cache.ts';

export type Get = <T>(path: string) => Promise<T>;

export async function regionApi(data: string): Promise<Get> {
  const { gateway } = await askRegion(data, 'status', {});
  const headers = { authorization: `Bearer ${await cachedToken(data)}` };
  return async <T>(path: string): Promise<T> => {
    const answer = await fetch(gateway + path, { headers });
    const body = (await answer.json()) as T & { messages?: { message: string }[] };
    if (answer.ok) return body;
    throw new Fault('refused', body.messages?.[0]?.message ?? `The region answers ${answer.status}.`);
  };
}
