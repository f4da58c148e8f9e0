// The region as it can be read whole, for the ledger of the crash tests.
import assert from 'node:assert/strict';
import { core } from '../harness/people.ts';
import type { Region, ResourceBody } from '../harness/region.ts';
import { type Kind, keyOf } from './ledger.ts';

export interface Seen {
  kind: Kind;
  name: string;
  path: string;
  revision: string;
  secret?: string;
  host?: string; // of a volume: the name of the server it is attached to
  power?: string; // of a server
}

// Names are written as <unique>.<revision>.
const split = (text: unknown): [string, string] => {
  const cut = String(text).lastIndexOf('.');
  return [String(text).slice(0, cut), String(text).slice(cut + 1)];
};

export async function survey(region: Region): Promise<Map<string, Seen>> {
  const found = new Map<string, Seen>();
  const see = (seen: Seen): void => {
    if (seen.name.startsWith('shared')) return; // resources that several writers compete for
    const key = keyOf(seen.kind, seen.name);
    assert.ok(!found.has(key), `${key} is there twice`);
    found.set(key, seen);
  };
  const list = async (path: string): Promise<ResourceBody[]> => {
    const { status, body } = await region.call('GET', `${core}${path}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.items;
  };
  const named = (kind: Kind, item: ResourceBody, path: string, more: Partial<Seen> = {}): void => {
    if (item.metadata !== undefined) assert.equal(item.metadata.state, 'AVAILABLE', `${path}/${item.id}`);
    if (item.properties.name === null) return; // a LAN that a NIC has made
    const [name, revision] = split(item.properties.name);
    see({ kind, name, revision, path: `${path}/${item.id}`, ...more });
  };
  for (const item of await list('/datacenters?depth=6&limit=10000')) {
    named('datacenter', item, '/datacenters');
    surveyDatacenter(item, named);
  }
  for (const item of await list('/snapshots?depth=1')) named('snapshot', item, '/snapshots');
  for (const item of await list('/ipblocks?depth=1&limit=10000')) named('ipblock', item, '/ipblocks');
  for (const item of await list('/labels?depth=1')) {
    const { key, value, resourceHref } = item.properties;
    const path = `${new URL(String(resourceHref)).pathname.slice(core.length)}/labels/${key}`;
    see({ kind: 'label', name: String(key), revision: String(value), path });
  }
  await surveyPeople(region, list, see, named);
  return found;
}

type Named = (kind: Kind, item: ResourceBody, path: string, more?: Partial<Seen>) => void;

function surveyDatacenter({ id, entities }: ResourceBody, named: Named): void {
  const path = `/datacenters/${id}`;
  const hosts = new Map<string, string>();
  for (const lan of entities.lans?.items ?? []) named('lan', lan, `${path}/lans`);
  for (const server of entities.servers?.items ?? []) {
    const [name] = split(server.properties.name);
    named('server', server, `${path}/servers`, { power: String(server.properties.vmState) });
    for (const volume of server.entities.volumes?.items ?? []) hosts.set(volume.id, name);
    for (const nic of server.entities.nics?.items ?? []) named('nic', nic, `${path}/servers/${server.id}/nics`);
  }
  for (const volume of entities.volumes?.items ?? [])
    named('volume', volume, `${path}/volumes`, { host: hosts.get(volume.id) ?? '' });
}

async function surveyPeople(
  region: Region,
  list: (path: string) => Promise<ResourceBody[]>,
  see: (seen: Seen) => void,
  named: Named,
): Promise<void> {
  const groups = await list('/um/groups?depth=3');
  const names = new Map(groups.map((group) => [group.id, split(group.properties.name)[0]]));
  for (const group of groups) named('group', group, '/um/groups');
  for (const item of await list('/um/users?depth=2&limit=10000')) {
    const email = String(item.properties.email);
    if (email === region.owner.email || email.startsWith('shared')) continue;
    const path = `/um/users/${item.id}`;
    see({ kind: 'user', name: email, path, revision: String(item.properties.lastname) });
    for (const { id } of item.entities.groups?.items ?? []) {
      see({
        kind: 'member',
        name: `${names.get(id)} ${email}`,
        path: `/um/groups/${id}/users/${item.id}`,
        revision: '0',
      });
    }
    for (const key of await list(`${path}/s3keys?depth=1`)) {
      const secret = String(key.properties.secretKey);
      see({ kind: 's3key', name: key.id, path: `${path}/s3keys/${key.id}`, revision: '0', secret });
    }
  }
  const { body } = await region.call<{ tokens: { id: string }[] }>('GET', '/auth/v1/tokens');
  for (const { id } of body.tokens) {
    if (id !== tokenId(region.token)) see({ kind: 'token', name: id, path: `/auth/v1/tokens/${id}`, revision: '0' });
  }
}

export const tokenId = (token: string): string => {
  const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string };
  return header.kid;
};
