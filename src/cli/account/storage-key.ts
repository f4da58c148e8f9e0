// Caches one access key of the object storage per data folder, like the token. It is created through the management
// API, and again when the region does not have it any more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { privateFolder, writePrivate } from './token-cache.ts';

export interface StorageKey {
  id: string;
  accessKeyId: string;
  secretAccessKey: string;
}

interface CreatedKey {
  id: string;
  properties: { accessKey: string; secretKey: string };
  messages?: { message: string }[];
}

export async function cachedStorageKey(data: string, gateway: string, token: string): Promise<StorageKey> {
  const file = join(privateFolder(data), 'storage-key.json');
  const path = `${gateway}/objectstorage-management/accesskeys`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const old = readKey(file);
  if (old && (await fetch(`${path}/${old.id}`, { headers })).ok) return old;
  const body = JSON.stringify({ properties: { description: 'cumulet env' } });
  const answer = await fetch(path, { method: 'POST', headers, body });
  const made = (await answer.json()) as CreatedKey;
  if (!answer.ok) {
    const reason = made.messages?.[0]?.message ?? `status ${answer.status}`;
    throw new Fault('unavailable', `The key for the object storage could not be created: ${reason}`);
  }
  const { accessKey: accessKeyId, secretKey: secretAccessKey } = made.properties;
  const key = { id: made.id, accessKeyId, secretAccessKey };
  writePrivate(file, `${JSON.stringify(key, null, 2)}\n`);
  return key;
}

function readKey(file: string): StorageKey | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as StorageKey;
  } catch {
    return undefined;
  }
}
