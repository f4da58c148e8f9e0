// A writer of the crash test: creates, changes and removes its own resources, so that it always knows what the last
// answer promised, until the process under it is killed.
import assert from 'node:assert/strict';
import { limits } from '../../src/testing/limits.ts';
import type { Chance } from '../../src/testing/seed.ts';
import { until } from '../../src/testing/waiting.ts';
import { core } from '../harness/people.ts';
import type { Answer, ResourceBody } from '../harness/region.ts';
import { type Kind, keyOf, type Ledger, type TrackedResource } from './ledger.ts';
import { tokenId } from './survey.ts';

export interface Round {
  call(method: string, path: string, body?: unknown): Promise<Answer>; // a change: never asked twice
  look(path: string): Promise<Answer>;
  ledger: Ledger;
  chance: Chance;
  number: number;
  over: boolean; // the process was killed: no response may come any more
  answered(): void; // called with each change that was answered
}

export const writersOfAKind = 3;

// The process died before it answered, and the round is over.
export class Gone extends Error {}

// The round continues, but this change has no answer that tells whether it was made; `nothing`: one that says it was
// not.
export class Lost extends Error {
  readonly nothing: boolean;

  constructor(nothing: boolean) {
    super('no answer');
    this.nothing = nothing;
  }
}

interface Composite {
  properties?: Record<string, unknown>;
  entities?: Record<string, { items: Composite[] }>;
}

interface Creation {
  parent?: TrackedResource;
  home?: string; // where it can be read, if not at the requested path
  host?: TrackedResource; // of a volume: the server it is attached to
  wait?: boolean;
}

export class Writer {
  readonly round: Round;
  #index: number;
  #share: number;
  #count = 0;

  // `share`: which of those that do the same work.
  constructor(round: Round, index: number, share: number) {
    this.round = round;
    this.#index = index;
    this.#share = share;
  }

  // <round>-<writer>-<count>.<revision>: unique for ever.
  name = (): string => `${this.#mark()}${this.#count++}.0`;

  // One of this writer's resources that can be worked on; undefined requests a new one, mostly below `enough`.
  own(kind: Kind, enough: number, parent?: TrackedResource): TrackedResource | undefined {
    const { ledger, chance } = this.round;
    const all = [...ledger.resources.values()].filter(
      (one) => one.kind === kind && this.#isSure(one) && one.parent === parent && this.#isMine(one),
    );
    if (all.length === 0 || (all.length < enough && chance.often(50))) return undefined;
    return chance.one(all);
  }

  async create(
    kind: Kind,
    place: string,
    body: object,
    action: string,
    options: Creation = {},
  ): Promise<TrackedResource> {
    const { ledger } = this.round;
    const { parent, home = place, wait = true } = options;
    const { properties = {}, entities = {} } = body as Composite;
    const unnamed = kind === 's3key';
    const identifier = String(properties.key ?? properties.email ?? properties.name ?? '');
    const name = properties.name === undefined ? identifier : identifier.slice(0, -2);
    const resource = unnamed ? undefined : ledger.add(kind, name, parent);
    const inside = resource ? this.#inside(resource, entities) : [];
    if (resource && options.host) resource.hosts = [options.host.name];
    if (unnamed) ledger.unseen.s3key += 1;
    const undo = (): void => {
      if (unnamed) ledger.unseen.s3key -= 1;
      for (const one of [...inside, resource]) if (one) one.there = false;
    };
    const answer = await this.#call('POST', core + place, body, undo);
    this.#expect(answer, kind === 'label' ? 201 : 202, `POST ${place}`);
    if (unnamed) ledger.unseen.s3key -= 1;
    const made = resource ?? ledger.add(kind, answer.body.id, parent);
    Object.assign(made, { there: true, path: `${home}/${answer.body.id}` });
    if (unnamed) made.secret = String(answer.body.properties.secretKey);
    for (const one of inside) one.there = true;
    this.#note(made, answer, `${action}.create`);
    if (wait) await this.#wait(answer, made);
    return made;
  }

  // Resources that are created with another one: in it or, for the volumes of a server, next to it.
  #inside(resource: TrackedResource, entities: NonNullable<Composite['entities']>): TrackedResource[] {
    return Object.entries(entities).flatMap(([plural, { items }]) =>
      items.map(({ properties }) => {
        const isBeside = plural === 'volumes' && resource.kind === 'server';
        const name = String(properties?.name).slice(0, -2);
        const one = this.round.ledger.add(plural.slice(0, -1) as Kind, name, isBeside ? resource.parent : resource);
        if (isBeside) one.hosts = [resource.name];
        return one;
      }),
    );
  }

  async revise(resource: TrackedResource, action: string): Promise<void> {
    const next = String(Number(resource.revisions.at(-1)) + 1);
    resource.revisions.push(next);
    const [method, body] = revision(resource, next);
    const answer = await this.#call(method, core + resource.path, body, () => void resource.revisions.pop());
    this.#expect(answer, resource.kind === 'label' ? 200 : 202, `${method} ${resource.path}`);
    resource.revisions = [next];
    this.#note(resource, answer, `${action}.update`);
    await this.#wait(answer, resource);
  }

  async remove(resource: TrackedResource, action: string, whole = false): Promise<void> {
    const { ledger } = this.round;
    const before = [resource, ...ledger.below(resource)].map((one) => [one, { ...one }] as const);
    ledger.removing(resource);
    const undo = (): void => {
      for (const [one, { there, doomed }] of before) Object.assign(one, { there, doomed });
    };
    const answer = await this.#call(
      'DELETE',
      resource.kind === 'token' ? resource.path : core + resource.path,
      undefined,
      undo,
    );
    this.#expect(answer, resource.kind === 'label' || resource.kind === 'token' ? 200 : 202, `DELETE ${resource.path}`);
    ledger.removed(resource);
    this.#note(resource, answer, whole ? action : `${action}.delete`);
    const isPart = resource.kind === 'volume' || resource.kind === 'nic'; // while it goes, its server may not
    if (isPart || this.round.chance.often(50)) await this.#wait(answer, resource);
  }

  // A server goes, and its volumes stay or go with it.
  async removeServer(server: TrackedResource, action: string, withVolumes: boolean): Promise<void> {
    const volumes = this.round.ledger.volumesOf(server);
    const before = [server, ...this.round.ledger.below(server), ...volumes].map((one) => [one, { ...one }] as const);
    this.round.ledger.removing(server);
    for (const one of volumes) {
      if (withVolumes) this.round.ledger.removing(one);
      one.hosts = [server.name, ''];
    }
    const undo = (): void => {
      for (const [one, { there, doomed, hosts }] of before) Object.assign(one, { there, doomed, hosts });
    };
    const path = `${core}${server.path}${withVolumes ? '?deleteVolumes=true' : ''}`;
    const answer = await this.#call('DELETE', path, undefined, undo);
    this.#expect(answer, 202, `DELETE ${path}`);
    this.round.ledger.removed(server);
    for (const one of volumes) {
      if (withVolumes) this.round.ledger.removed(one);
      one.hosts = [''];
    }
    this.#note(server, answer, `${action}.delete`);
    await this.#wait(answer, server);
  }

  // Something is done with a resource that is `known` by one of its lists: the last of that is what it will be.
  async act(
    resource: TrackedResource,
    list: 'hosts' | 'powers',
    next: string,
    call: [string, string, object?],
    action: string,
  ) {
    resource[list].push(next);
    const [method, path, body] = call;
    const answer = await this.#call(method, core + path, body, () => void resource[list].pop());
    this.#expect(answer, 202, `${method} ${path}`);
    resource[list] = [next];
    this.#note(resource, answer, action);
    await this.#wait(answer, resource);
  }

  // The paths of what was created with a server.
  async learn(server: TrackedResource): Promise<void> {
    const { body } = await this.#look(`${core}${server.path}?depth=3`);
    const places = { volume: `${server.parent?.path}/volumes`, nic: `${server.path}/nics` };
    for (const kind of ['volume', 'nic'] as const)
      for (const { id, properties } of body.entities?.[`${kind}s`]?.items ?? []) {
        const resource = this.round.ledger.resources.get(keyOf(kind, String(properties.name).slice(0, -2)));
        if (resource) resource.path = `${places[kind]}/${id}`;
      }
  }

  async #look(path: string): Promise<Answer> {
    return this.round.look(path).catch((error: unknown) => {
      if (this.round.over) throw new Gone();
      throw error;
    });
  }

  async join(group: TrackedResource, user: TrackedResource): Promise<void> {
    const { ledger } = this.round;
    const name = `${group.name} ${user.name}`;
    if (ledger.resources.get(keyOf('member', name))?.there === 'perhaps') return;
    const resource = ledger.add('member', name, group);
    resource.other = user;
    const undo = (): void => {
      resource.there = false;
    };
    const sent = { id: user.path.split('/').at(-1) };
    const answer = await this.#call('POST', `${core}${group.path}/users`, sent, undo);
    this.#expect(answer, 202, 'POST …/users');
    Object.assign(resource, { there: true, path: `${group.path}/users/${answer.body.id}` });
    this.#note(resource, answer, 'sec.group.addUser');
  }

  async generate(): Promise<void> {
    const { ledger } = this.round;
    ledger.unseen.token += 1;
    const answered = (): void => {
      ledger.unseen.token -= 1;
    };
    const answer = await this.#call('GET', '/auth/v1/tokens/generate?ttl=3600', undefined, answered);
    this.#expect(answer, 200, 'GET …/generate');
    answered();
    const secret = String(answer.body.token);
    const resource = ledger.add('token', tokenId(secret));
    Object.assign(resource, { there: true, path: `/auth/v1/tokens/${resource.name}`, secret });
    this.#note(resource, answer, 'sec.token.generate');
  }

  // A change that may be refused, for it is not the only one; it must never break.
  async race(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#call(method, core + path, body);
    assert.ok(answer.status < 500, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  // Resources that a lost call may have changed are not used until the round has ended; nor are their servers.
  #isSure(resource: TrackedResource): boolean {
    const { ledger } = this.round;
    if (resource.kind !== 'server' || !isSure(resource)) return isSure(resource);
    return [...ledger.volumesOf(resource), ...ledger.below(resource)].every(
      (one) => isSure(one) || one.there === false,
    );
  }

  #mark = (): string => `${this.round.number}-${this.#index}-`;

  #isMine({ kind, name, parent, path }: TrackedResource): boolean {
    if (kind === 'token') return this.round.number >= 0 && path !== '' && hashOf(name) % writersOfAKind === this.#share;
    if (kind === 's3key') return parent !== undefined && this.#isMine(parent);
    return name.split('-')[1] === String(this.#index);
  }

  // `undo` takes back from the ledger what is known not to have been done.
  async #call(method: string, path: string, body?: unknown, undo?: () => void): Promise<Answer> {
    if (this.round.over) {
      undo?.();
      throw new Gone();
    }
    try {
      return await this.round.call(method, path, body);
    } catch (error) {
      if (error instanceof Lost && error.nothing) undo?.();
      if (this.round.over && !(error instanceof assert.AssertionError)) throw new Gone();
      throw error;
    }
  }

  #expect(answer: Answer, status: number, what: string): void {
    assert.equal(answer.status, status, `${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  #note(resource: TrackedResource, answer: Answer, action: string): void {
    const request = String(answer.headers['x-request-id']);
    this.round.ledger.changes.push({ resource, request, action, lasting: answer.headers.location !== undefined });
    this.round.answered();
  }

  // The server holds the call until there is news.
  async #wait(answer: Answer, resource: TrackedResource): Promise<void> {
    if (answer.headers.location === undefined) return;
    const { pathname } = new URL(answer.headers.location);
    const look = async (): Promise<ResourceBody['metadata'] | undefined> =>
      this.round.over ? undefined : (await this.#look(pathname)).body.metadata;
    const isEnded = (metadata: ResourceBody['metadata'] | undefined): boolean => metadata?.status !== 'BUSY';
    const ended = await until(`${pathname} ends`, look, isEnded, { limitMs: limits.takeover });
    if (ended?.status === 'FAILED')
      assert.ok(resource.doomed, `${resource.kind} ${resource.name} FAILED: ${ended.message}`);
  }
}

const isSure = ({ there, path, revisions, hosts, powers }: TrackedResource): boolean =>
  there === true && path !== '' && revisions.length === 1 && hosts.length === 1 && powers.length === 1;

// How each kind is brought to its next revision.
function revision({ kind, name }: TrackedResource, next: string): [method: string, body: object] {
  const marked = `${name}.${next}`;
  if (kind === 'label') return ['PUT', { properties: { key: name, value: next } }];
  if (kind === 'user')
    return ['PUT', { properties: { firstname: 'A', lastname: next, email: name, administrator: true } }];
  if (kind === 'group') return ['PUT', { properties: { name: marked } }];
  return ['PATCH', { name: marked }];
}

const hashOf = (text: string): number => [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
