// The knowledge of the writers of the crash test: for each resource they made, what must be there, what must be gone,
// and what may be either because the process died before it answered. A resource's unique name never changes; its
// revision does. After a restart the region is read whole and held against this.
import assert from 'node:assert/strict';
import { core } from '../harness/people.ts';
import type { Region } from '../harness/region.ts';
import { type Seen, survey } from './survey.ts';

export type Kind =
  | 'datacenter'
  | 'lan'
  | 'server'
  | 'volume'
  | 'nic'
  | 'snapshot'
  | 'ipblock'
  | 'label'
  | 'user'
  | 'group'
  | 'member'
  | 's3key'
  | 'token';

export interface TrackedResource {
  kind: Kind;
  name: string; // unique in the region, for ever
  parent?: TrackedResource;
  other?: TrackedResource; // of a member: the user
  path: string; // '' until an answer contains it
  there: boolean | 'perhaps';
  revisions: string[]; // what it may be at; the last is the newest
  hosts: string[]; // of a volume: the names of servers it may be attached to; '' is none
  powers: string[]; // of a server: what its vmState may be
  doomed: boolean; // its removal, or that of its parent, was requested
  secret?: string; // shown at creation; must work, or be shown again
}

export interface Change {
  resource: TrackedResource;
  request: string; // X-Request-Id
  action: string; // as the activity log calls it
  lasting: boolean; // has a request that can be asked for
}

export class Ledger {
  readonly resources = new Map<string, TrackedResource>();
  readonly changes: Change[] = []; // answered ones, of the round
  readonly unseen: Record<'token' | 's3key', number> = { token: 0, s3key: 0 }; // creations without an answer

  add(kind: Kind, name: string, parent?: TrackedResource): TrackedResource {
    const resource: TrackedResource = {
      ...{ kind, name, path: '', there: 'perhaps', revisions: ['0'], doomed: false },
      hosts: [''],
      powers: ['RUNNING'],
    };
    if (parent) resource.parent = parent;
    this.resources.set(keyOf(kind, name), resource);
    return resource;
  }

  below(parent: TrackedResource): TrackedResource[] {
    const own = [...this.resources.values()].filter((one) => one.parent === parent || one.other === parent);
    return own.flatMap((one) => [one, ...this.below(one)]);
  }

  // The volumes that are attached to a server, or may be.
  volumesOf({ kind, name }: TrackedResource): TrackedResource[] {
    return kind === 'server' ? [...this.resources.values()].filter(({ hosts }) => hosts.includes(name)) : [];
  }

  removing(resource: TrackedResource): void {
    for (const one of [resource, ...this.below(resource)]) {
      one.doomed = true;
      if (one.there) one.there = 'perhaps';
    }
  }

  removed(resource: TrackedResource): void {
    for (const one of [resource, ...this.below(resource)]) one.there = false;
  }

  // Holds what is there against what is known, and learns what became of the calls without an answer.
  async settle(region: Region): Promise<void> {
    const found = await survey(region);
    for (const [key, seen] of found) {
      const resource = this.resources.get(key);
      if (!resource) {
        this.#adopt(seen, key);
        continue;
      }
      assert.notEqual(resource.there, false, `${key} was removed, and is there again`);
      assertAmong(key, seen.revision, resource.revisions);
      if (seen.kind === 'volume') assertAmong(`the server of ${key}`, seen.host, resource.hosts);
      if (seen.kind === 'server') assertAmong(`the power of ${key}`, seen.power, resource.powers);
      if (resource.path !== '') assert.equal(seen.path, resource.path, `${key} has moved`);
      if (seen.secret !== undefined && resource.secret !== undefined) assert.equal(seen.secret, resource.secret);
      const { path, revision, host = '', power = 'RUNNING' } = seen;
      Object.assign(resource, { there: true, path, revisions: [revision], hosts: [host], powers: [power] });
    }
    for (const [key, resource] of this.resources) {
      if (found.has(key)) continue;
      assert.notEqual(resource.there, true, `${key} was answered and is lost`);
      this.resources.delete(key);
    }
    await this.#settleTokens(region);
  }

  // Tokens and keys have no name of ours: as many may have appeared as calls went without an answer.
  #adopt(seen: Seen, key: string): void {
    assert.ok(seen.kind === 's3key' || seen.kind === 'token', `${key} has come from nowhere`);
    this.unseen[seen.kind] -= 1;
    assert.ok(this.unseen[seen.kind] >= 0, `there are more of ${seen.kind} than were asked for`);
    const [, user] = /um\/users\/([^/]+)/.exec(seen.path) ?? [];
    const parent = [...this.resources.values()].find((one) => one.kind === 'user' && one.path.endsWith(`/${user}`));
    const resource = this.add(seen.kind, seen.name, parent);
    Object.assign(resource, { there: true, path: seen.path, revisions: [seen.revision] });
  }

  async #settleTokens(region: Region): Promise<void> {
    const tokens = [...this.resources.values()].filter(({ kind, secret }) => kind === 'token' && secret !== undefined);
    const answers = await Promise.all(
      tokens.map(({ secret }) => region.call('GET', `${core}/`, undefined, { token: secret ?? '' })),
    );
    for (const { status } of answers) assert.equal(status, 200, 'a token that was answered does not work');
    this.unseen.token = 0;
    this.unseen.s3key = 0;
  }
}

export const keyOf = (kind: Kind, name: string): string => `${kind} ${name}`;

const assertAmong = (what: string, seen: string | undefined, known: string[]): void =>
  assert.ok(known.includes(seen ?? ''), `${what} is at ${seen}, not at one of ${known.join(', ')}`);
