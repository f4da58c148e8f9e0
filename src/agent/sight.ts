// What a client's tools see: the platform by its addresses, with the client's token and key.
import { machineTime } from '../base/clock.ts';
import type { Connection } from './client/connection.ts';
import { PlatformApi } from './client/platform-api.ts';
import { ReadOnlyClient } from './client/read-only-client.ts';
import { StorageApi, type StorageKey } from './client/storage-api.ts';
import type { Sight } from './tool.ts';

export interface SightOptions {
  connection: Connection;
  storageKey: StorageKey | undefined;
  version: string;
  client(): string; // the MCP client, for the User-Agent
  now?(): number; // the platform's time, where it is known to differ from the machine's
}

export function sightOf({ connection, storageKey, version, client, now = machineTime }: SightOptions): Sight {
  const http = new ReadOnlyClient();
  const userAgent = (): string => `ionoscloud-mcp/${version}${client()}`;
  return {
    api: new PlatformApi({ client: http, connection, userAgent }),
    storage: new StorageApi({ client: http, connection, key: storageKey, userAgent }),
    now,
  };
}
