// Presigned links, and the access keys that sign them.
import { call } from '../../api.ts';

export interface Link {
  url: string;
  method: string;
  expiresDate: string;
}

export interface OwnKey {
  accessKey: string;
  title: string;
}

interface ManagedKeys {
  items: { properties: { accessKey: string; canonicalUserId: string; description?: string } }[];
}

interface UserKeys {
  items: { id: string; properties: { active: boolean } }[];
}

// From both APIs that create access keys.
export async function ownAccessKeys(user: string, signal?: AbortSignal): Promise<OwnKey[]> {
  const options = signal ? { signal } : {};
  const [managed, ofUser] = await Promise.all([
    call<ManagedKeys>('GET', '/objectstorage-management/accesskeys?limit=1000', options),
    call<UserKeys>('GET', `/cloudapi/v6/um/users/${user}/s3keys?depth=1`, options),
  ]);
  const keys = managed.items
    .filter(({ properties }) => properties.canonicalUserId === user)
    .map(({ properties }) => keyOf(properties.accessKey, properties.description));
  const older = ofUser.items.filter(({ properties }) => properties.active).map(({ id }) => keyOf(id));
  return [...keys, ...older.filter(({ accessKey }) => !keys.some((one) => one.accessKey === accessKey))];
}

const keyOf = (accessKey: string, description = ''): OwnKey => ({
  accessKey,
  title: [description, `${accessKey.slice(0, 12)}…`].filter(Boolean).join(' · '),
});

// The secret is not shown, because the region signs the links. The page of access keys can renew it.
export async function makeAccessKey(): Promise<string> {
  const body = { properties: { description: 'Links of the console' } };
  const { properties } = await call<ManagedKeys['items'][0]>('POST', '/objectstorage-management/accesskeys', { body });
  return properties.accessKey;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const curlOf = ({ url, method }: Link, fileName: string): string =>
  method === 'PUT' ? `curl -T ${quoted(fileName)} ${quoted(url)}` : `curl -o ${quoted(fileName)} ${quoted(url)}`;
