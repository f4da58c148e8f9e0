// The context of tool calls: the platform's addresses, with the client's token and key.
import { machineTime, timeOf } from '../base/clock.ts';
import type { Connection } from './client/connection.ts';
import { PlatformApi } from './client/platform-api.ts';
import { ReadOnlyClient } from './client/read-only-client.ts';
import { StorageApi, type StorageKey } from './client/storage-api.ts';
import type { ToolContext } from './tool.ts';

export interface ToolContextOptions {
  connection: Connection;
  storageKey: StorageKey | undefined;
  version: string;
  client(): string; // the MCP client, for the User-Agent
  now?(): number; // the platform's time; if absent, the platform is asked
}

export function toolContextOf({ connection, storageKey, version, client, now }: ToolContextOptions): ToolContext {
  const http = new ReadOnlyClient();
  const userAgent = (): string => `ionoscloud-mcp/${version}${client()}`;
  const api = new PlatformApi({ client: http, connection, userAgent });
  return {
    api,
    storage: new StorageApi({ client: http, connection, key: storageKey, userAgent }),
    now: async () => now?.() ?? timeAt(api),
  };
}

// A region's clock can be moved. Without a lab, the machine's time is used.
async function timeAt(api: PlatformApi): Promise<number> {
  const { now } = await api.object('lab', '/clock').catch((): { now?: unknown } => ({}));
  const time = timeOf(String(now));
  return Number.isNaN(time) ? machineTime() : time;
}
