// What the writers of the crash test know: for each thing they made, what must be there, what must be gone, and
// what may be either because the process died before it answered. A thing's unique name never changes; its
// revision does. After a restart the region is read whole and held against this.
import assert from 'node:assert/strict';
import { core } from './people.ts';
import type { Region, Shown } from './region.ts';

export type Kind = 'datacenter' | 'lan' | 'ipblock' | 'label' | 'user' | 'group' | 'member' | 's3key' | 'token';

export interface Thing {
  kind: Kind;
  name: string; // unique in the region, for ever
  parent?: Thing;
  other?: Thing; // of a member: the user
  path: string; // '' until an answer told it
  there: boolean | 'perhaps';
  revisions: string[]; // what it may be at; the last is the newest
  doomed: boolean; // a removal of it, or of what it stands in, was asked for
  secret?: string; // shown at creation; must work, or be shown again
}

export interface Change {
  thing: Thing;
  request: string; // X-Request-Id
  action: string; // as the activity log calls it
  lasting: boolean; // has a request that can be asked for
}

export class Ledger {
  readonly things = new Map<string, Thing>();
  readonly changes: Change[] = []; // answered ones, of the round
  readonly unseen: Record<'token' | 's3key', number> = { token: 0, s3key: 0 }; // creations without an answer

  add(kind: Kind, name: string, parent?: Thing): Thing {
    const thing: Thing = { kind, name, path: '', there: 'perhaps', revisions: ['0'], doomed: false };
    if (parent) thing.parent = parent;
    this.things.set(keyOf(kind, name), thing);
    return thing;
  }

  below(parent: Thing): Thing[] {
    const own = [...this.things.values()].filter((one) => one.parent === parent || one.other === parent);
    return own.flatMap((one) => [one, ...this.below(one)]);
  }

  removing(thing: Thing): void {
    for (const one of [thing, ...this.below(thing)]) {
      one.doomed = true;
      if (one.there) one.there = 'perhaps';
    }
  }

  removed(thing: Thing): void {
    for (const one of [thing, ...this.below(thing)]) one.there = false;
  }

  // Holds what is there against what is known, and learns what became of the calls without an answer.
  async settle(region: Region): Promise<void> {
    const found = await survey(region);
    for (const [key, seen] of found) {
      const thing = this.things.get(key);
      if (!thing) {
        this.#adopt(seen, key);
        continue;
      }
      assert.notEqual(thing.there, false, `${key} was removed, and is there again`);
      assert.ok(
        thing.revisions.includes(seen.revision),
        `${key} is at ${seen.revision}, not at one of ${thing.revisions.join(', ')}`,
      );
      if (thing.path !== '') assert.equal(seen.path, thing.path, `${key} has moved`);
      if (seen.secret !== undefined && thing.secret !== undefined) assert.equal(seen.secret, thing.secret);
      Object.assign(thing, { there: true, path: seen.path, revisions: [seen.revision] });
    }
    for (const [key, thing] of this.things) {
      if (found.has(key)) continue;
      assert.notEqual(thing.there, true, `${key} was answered and is lost`);
      this.things.delete(key);
    }
    await this.#settleTokens(region);
  }

  // Tokens and keys have no name of ours: as many may have appeared as calls went without an answer.
  #adopt(seen: Seen, key: string): void {
    assert.ok(seen.kind === 's3key' || seen.kind === 'token', `${key} has come from nowhere`);
    this.unseen[seen.kind] -= 1;
    assert.ok(this.unseen[seen.kind] >= 0, `there are more of ${seen.kind} than were asked for`);
    const [, user] = /um\/users\/([^/]+)/.exec(seen.path) ?? [];
    const parent = [...this.things.values()].find((one) => one.kind === 'user' && one.path.endsWith(`/${user}`));
    const thing = this.add(seen.kind, seen.name, parent);
    Object.assign(thing, { there: true, path: seen.path, revisions: [seen.revision] });
  }

  async #settleTokens(region: Region): Promise<void> {
    const tokens = [...this.things.values()].filter(({ kind, secret }) => kind === 'token' && secret !== undefined);
    const answers = await Promise.all(
      tokens.map(({ secret }) => region.call('GET', `${core}/`, undefined, { token: secret ?? '' })),
    );
    for (const { status } of answers) assert.equal(status, 200, 'a token that was answered does not work');
    this.unseen.token = 0;
    this.unseen.s3key = 0;
  }
}

interface Seen {
  kind: Kind;
  name: string;
  path: string;
  revision: string;
  secret?: string;
}

export const keyOf = (kind: Kind, name: string): string => `${kind} ${name}`;

// Names are written as <unique>.<revision>.
const split = (text: unknown): [string, string] => {
  const cut = String(text).lastIndexOf('.');
  return [String(text).slice(0, cut), String(text).slice(cut + 1)];
};

async function survey(region: Region): Promise<Map<string, Seen>> {
  const found = new Map<string, Seen>();
  const see = (seen: Seen): void => {
    if (seen.name.startsWith('shared')) return; // things that several writers fight over
    const key = keyOf(seen.kind, seen.name);
    assert.ok(!found.has(key), `${key} is there twice`);
    found.set(key, seen);
  };
  const list = async (path: string): Promise<Shown[]> => {
    const { status, body } = await region.call('GET', `${core}${path}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.items;
  };
  const named = (kind: Kind, item: Shown, path: string): void => {
    const [name, revision] = split(item.properties.name);
    if (item.metadata !== undefined) assert.equal(item.metadata.state, 'AVAILABLE', `${kind} ${name}`);
    see({ kind, name, revision, path: `${path}/${item.id}` });
  };
  for (const item of await list('/datacenters?depth=5&limit=10000')) {
    named('datacenter', item, '/datacenters');
    for (const lan of item.entities.lans?.items ?? []) named('lan', lan, `/datacenters/${item.id}/lans`);
  }
  for (const item of await list('/ipblocks?depth=1&limit=10000')) named('ipblock', item, '/ipblocks');
  for (const item of await list('/labels?depth=1')) {
    const { key, value, resourceType, resourceId } = item.properties;
    const path = `/${resourceType}s/${resourceId}/labels/${key}`;
    see({ kind: 'label', name: String(key), revision: String(value), path });
  }
  await surveyPeople(region, list, see, named);
  return found;
}

async function surveyPeople(
  region: Region,
  list: (path: string) => Promise<Shown[]>,
  see: (seen: Seen) => void,
  named: (kind: Kind, item: Shown, path: string) => void,
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
