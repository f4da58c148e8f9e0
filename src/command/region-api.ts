// Calls the region's own API with a token of the owner, for commands that show what clients can read.
import { Fault } from '../base/fault.ts';
import type { Host } from './command.ts';

export type Get = <T>(path: string) => Promise<T>;

export async function regionApi(host: Host, data: string): Promise<Get> {
  const { gateway, token } = await host.access(data);
  const headers = { authorization: `Bearer ${token}` };
  return async <T>(path: string): Promise<T> => {
    const answer = await fetch(gateway + path, { headers });
    const body = (await answer.json()) as T & { messages?: { message: string }[] };
    if (answer.ok) return body;
    throw new Fault('refused', body.messages?.[0]?.message ?? `The region answers ${answer.status}.`);
  };
}
