// What a client's tools see: the platform by its addresses, with the client's token and key.
import { machineTime } from '../base/clock.ts';
import { addresses, storageAddress } from './client/addresses.ts';
import type { KeyPlace } from './client/failure.ts';
import { PlatformApi } from './client/platform-api.ts';
import { ReadOnlyClient } from './client/read-only-client.ts';
import { StorageApi, type StorageKey } from './client/storage-api.ts';
import type { Sight } from './tool.ts';

export interface SightOptions {
  apiUrl: string | undefined;
  token: string | undefined;
  storageKey: StorageKey | undefined;
  keyIsGivenIn: KeyPlace;
  version: string;
  client(): string; // the MCP client, for the User-Agent
  now?(): number; // the platform's time, where it is known to differ from the machine's
}

export function sightOf(options: SightOptions): Sight {
  const { apiUrl, token, storageKey, keyIsGivenIn, version, client, now = machineTime } = options;
  const http = new ReadOnlyClient();
  const userAgent = (): string => `ionoscloud-mcp/${version}${client()}`;
  const addressOf = (region: string): string => storageAddress(apiUrl, region);
  return {
    api: new PlatformApi({ client: http, addressOf: addresses(apiUrl), token, userAgent }),
    storage: new StorageApi({ client: http, addressOf, key: storageKey, keyIsGivenIn, userAgent }),
    now,
  };
}
