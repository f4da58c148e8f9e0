// Twenty writers that create, change and remove things of every kind without pause, until the process under them
// is killed. Each works on things of its own, so that it always knows what the last answer promised.
import assert from 'node:assert/strict';
import { type Kind, type Ledger, type Thing, tokenId } from './crash-ledger.ts';
import { core } from './people.ts';
import type { Answer, Region } from './region.ts';
import type { Chance } from './seed.ts';

export interface Round {
  region: Region;
  ledger: Ledger;
  chance: Chance;
  number: number;
  over: boolean; // the process was told to die: no answer may come any more
  answered(): void; // called with each change that was answered
}

class Gone extends Error {}

// The kinds of work, dealt to the writers in turn.
const works = [inDatacenters, withAddresses, amongOthers, withPeople, withTokens];

export async function write(round: Round, index: number): Promise<void> {
  const work = works[index % works.length] as (writer: Writer) => Promise<void>;
  const writer = new Writer(round, index);
  try {
    while (!round.over) await work(writer);
  } catch (error) {
    if (!(error instanceof Gone)) throw error;
  }
}

async function inDatacenters(writer: Writer): Promise<void> {
  const { chance } = writer.round;
  const datacenter = writer.own('datacenter', 3);
  if (!datacenter) {
    const properties = { name: writer.name(), location: chance.one(['de/txl', 'de/fra', 'us/las']) };
    const lans = [writer.name(), writer.name()];
    const entities = { lans: { items: lans.map((name) => ({ properties: { name } })) } };
    await writer.create('datacenter', '/datacenters', { properties, ...(chance.often(30) && { entities }) }, 'vdc.datacenter');
    return;
  }
  const lan = writer.own('lan', 2, datacenter);
  const lans = `${datacenter.path}/lans`;
  if (!lan || chance.often(20)) {
    await writer.create('lan', lans, { properties: { name: writer.name(), public: chance.often(50) } }, 'net.lan', datacenter);
  } else if (chance.often(30)) await writer.revise(lan, 'net.lan');
  else if (chance.often(20)) await writer.remove(lan, 'net.lan');
  else await onLabels(writer, datacenter);
  if (chance.often(15)) await writer.revise(datacenter, 'vdc.datacenter');
  // Not waited for: the removal meets a creation that is under way below it.
  if (chance.often(8)) {
    const below = { properties: { name: writer.name() } };
    await writer.create('lan', lans, below, 'net.lan', datacenter, false);
    await writer.remove(datacenter, 'vdc.datacenter');
  }
}

async function withAddresses(writer: Writer): Promise<void> {
  const { chance } = writer.round;
  const block = writer.own('ipblock', 4);
  if (!block) {
    const size = 1 + chance.below(4);
    const properties = { name: writer.name(), location: chance.one(['de/txl', 'us/las']), size };
    const hasty = chance.often(20); // removed while it is still being made
    const made = await writer.create('ipblock', '/ipblocks', { properties }, 'ip.ipblock', undefined, !hasty);
    if (hasty) await writer.remove(made, 'ip.ipblock');
  } else if (chance.often(40)) await writer.revise(block, 'ip.ipblock');
  else if (chance.often(40)) await onLabels(writer, block);
  else await writer.remove(block, 'ip.ipblock');
}

async function onLabels(writer: Writer, parent: Thing): Promise<void> {
  const label = writer.own('label', 2, parent);
  if (label && writer.round.chance.often(40)) return writer.revise(label, 'label.label');
  if (label && writer.round.chance.often(40)) return writer.remove(label, 'label.label');
  const key = writer.name().slice(0, -2);
  const body = { properties: { key, value: '0' } };
  await writer.create('label', `${parent.path}/labels`, body, 'label.label', parent);
}

async function withPeople(writer: Writer): Promise<void> {
  const { chance } = writer.round;
  const group = writer.own('group', 2);
  if (!group) {
    await writer.create('group', '/um/groups', { properties: { name: writer.name(), createDataCenter: true } }, 'sec.group');
    return;
  }
  const user = writer.own('user', 2);
  if (!user) {
    const properties = { firstname: 'A', lastname: '0', email: `${writer.name()}@example.com`, password: 'Crash-Test-1' };
    await writer.create('user', '/um/users', { properties }, 'sec.user');
    return;
  }
  const member = writer.own('member', 1, group);
  if (!member) await writer.join(group, user);
  else if (chance.often(30)) await writer.remove(member, 'sec.group.removeUser', true);
  const key = writer.own('s3key', 2, user);
  if (!key) await writer.create('s3key', `${user.path}/s3keys`, { properties: { active: true } }, 'sec.s3key', user);
  else if (chance.often(30)) await writer.remove(key, 'sec.s3key');
  if (chance.often(30)) await writer.revise(user, 'sec.user');
  if (chance.often(30)) await writer.revise(group, 'sec.group');
  if (chance.often(10)) await writer.remove(user, 'sec.user');
  if (chance.often(10)) await writer.remove(group, 'sec.group');
}

async function withTokens(writer: Writer): Promise<void> {
  const token = writer.own('token', 3);
  if (!token) return writer.generate();
  await writer.remove(token, 'sec.token');
}

// Several writers at the same few things: any may come too early or too late, and only the rows tell whether
// they have left something half made. No promise is kept of these.
async function amongOthers(writer: Writer): Promise<void> {
  const { chance, number } = writer.round;
  const pool = (pools[number] ??= { datacenters: [], groups: [], users: [], ipblocks: [] });
  const [place, body] = chance.one([
    ['datacenters', { properties: { name: 'shared.0', location: 'de/txl' } }],
    ['ipblocks', { properties: { name: 'shared.0', location: 'de/fra', size: 2 } }],
    ['groups', { properties: { name: 'shared.0' } }],
    ['users', { properties: { firstname: 'A', lastname: 'B', email: `shared-${writer.name()}@example.com`, password: 'Crash-Test-1' } }],
  ] as const);
  const root = place === 'groups' || place === 'users' ? `/um/${place}` : `/${place}`;
  const known = pool[place];
  if (known.length < 2) {
    const { status, body: made } = await writer.race('POST', root, body);
    if (status === 202) known.push(made.id);
    return;
  }
  const path = `${root}/${chance.one(known)}`;
  const shared = `${path}/shares/${chance.one(pool.datacenters.length ? pool.datacenters : ['none'])}`;
  const [method, at, sent] = chance.one<[string, string, object?]>([
    ['DELETE', path],
    ['PATCH', path, { name: 'shared.0' }],
    ['POST', `${path}/lans`, { properties: { name: 'shared.0' } }],
    ['DELETE', `${path}/lans/1`],
    ['POST', `${path}/labels`, { properties: { key: `shared-${chance.below(3)}`, value: 'x' } }],
    ['DELETE', `${path}/labels/shared-${chance.below(3)}`],
    ['POST', `${path}/users`, { id: pool.users[0] ?? 'none' }],
    ['POST', `${path}/s3keys`, { properties: { active: true } }],
    ['POST', shared, { properties: { editPrivilege: true } }],
    ['DELETE', shared],
  ]);
  const { status } = await writer.race(method, at, sent);
  if (method === 'DELETE' && at === path && status === 202) known.splice(known.indexOf(path.slice(root.length + 1)), 1);
}

const pools: Record<'datacenters' | 'groups' | 'users' | 'ipblocks', string[]>[] = [];

export class Writer {
  readonly round: Round;
  #index: number;
  #count = 0;

  constructor(round: Round, index: number) {
    this.round = round;
    this.#index = index;
  }

  // <round>-<writer>-<count>.<revision>: unique for ever.
  name = (): string => `${this.#mark()}${this.#count++}.0`;

  // One of this writer's things that can be worked on; undefined asks for a new one, mostly below `enough`.
  own(kind: Kind, enough: number, parent?: Thing): Thing | undefined {
    const { ledger, chance } = this.round;
    const all = [...ledger.things.values()].filter(
      (one) => one.kind === kind && one.there === true && one.path !== '' && one.parent === parent && this.#isMine(one),
    );
    if (all.length === 0 || (all.length < enough && chance.often(50))) return undefined;
    return chance.one(all);
  }

  async create(kind: Kind, place: string, body: object, action: string, parent?: Thing, wait = true): Promise<Thing> {
    const { ledger } = this.round;
    const { properties = {}, entities } = body as {
      properties?: Record<string, unknown>;
      entities?: { lans: { items: { properties: { name: string } }[] } };
    };
    const unnamed = kind === 's3key';
    const told = String(properties['key'] ?? properties['email'] ?? properties['name'] ?? '');
    const name = properties['name'] === undefined ? told : told.slice(0, -2);
    const thing = unnamed ? undefined : ledger.add(kind, name, parent);
    const inside = (entities?.lans.items ?? []).map((item) => ledger.add('lan', item.properties.name.slice(0, -2), thing));
    if (unnamed) ledger.unseen.s3key += 1;
    const answer = await this.#call('POST', core + place, body);
    this.#expect(answer, kind === 'label' ? 201 : 202, `POST ${place}`);
    if (unnamed) ledger.unseen.s3key -= 1;
    const made = thing ?? ledger.add(kind, answer.body.id, parent);
    Object.assign(made, { there: true, path: `${place}/${answer.body.id}` });
    if (unnamed) made.secret = String(answer.body.properties['secretKey']);
    for (const one of inside) one.there = true;
    this.#note(made, answer, `${action}.create`);
    if (wait) await this.#wait(answer, made);
    return made;
  }

  async revise(thing: Thing, action: string): Promise<void> {
    const next = String(Number(thing.revisions.at(-1)) + 1);
    thing.revisions.push(next);
    const [method, body] = revision(thing, next);
    const answer = await this.#call(method, core + thing.path, body);
    this.#expect(answer, thing.kind === 'label' ? 200 : 202, `${method} ${thing.path}`);
    thing.revisions = [next];
    this.#note(thing, answer, `${action}.update`);
    await this.#wait(answer, thing);
  }

  async remove(thing: Thing, action: string, whole = false): Promise<void> {
    const { ledger } = this.round;
    ledger.removing(thing);
    const answer = await this.#call('DELETE', thing.kind === 'token' ? thing.path : core + thing.path);
    this.#expect(answer, thing.kind === 'label' || thing.kind === 'token' ? 200 : 202, `DELETE ${thing.path}`);
    ledger.removed(thing);
    this.#note(thing, answer, whole ? action : `${action}.delete`);
    if (this.round.chance.often(50)) await this.#wait(answer, thing);
  }

  async join(group: Thing, user: Thing): Promise<void> {
    const thing = this.round.ledger.add('member', `${group.name} ${user.name}`, group);
    thing.other = user;
    const answer = await this.#call('POST', `${core}${group.path}/users`, { id: user.path.split('/').at(-1) });
    this.#expect(answer, 202, 'POST …/users');
    Object.assign(thing, { there: true, path: `${group.path}/users/${answer.body.id}` });
    this.#note(thing, answer, 'sec.group.addUser');
  }

  async generate(): Promise<void> {
    const { ledger } = this.round;
    ledger.unseen.token += 1;
    const answer = await this.#call('GET', '/auth/v1/tokens/generate?ttl=3600');
    this.#expect(answer, 200, 'GET …/generate');
    ledger.unseen.token -= 1;
    const secret = String(answer.body['token']);
    const thing = ledger.add('token', tokenId(secret));
    Object.assign(thing, { there: true, path: `/auth/v1/tokens/${thing.name}`, secret });
    this.#note(thing, answer, 'sec.token.generate');
  }

  // A change that may be refused, for it is not the only one; it must never break.
  async race(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#call(method, core + path, body);
    assert.ok(answer.status < 500, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  #mark = (): string => `${this.round.number}-${this.#index}-`;

  #isMine({ kind, name, parent, path }: Thing): boolean {
    if (kind === 'token') return this.round.number >= 0 && path !== '' && hashOf(name) % 4 === Math.floor(this.#index / 5);
    if (kind === 's3key') return parent !== undefined && this.#isMine(parent);
    return name.split('-')[1] === String(this.#index);
  }

  async #call(method: string, path: string, body?: unknown): Promise<Answer> {
    if (this.round.over) throw new Gone();
    try {
      return await this.round.region.call(method, path, body);
    } catch (error) {
      if (this.round.over) throw new Gone();
      throw error;
    }
  }

  #expect(answer: Answer, status: number, what: string): void {
    assert.equal(answer.status, status, `${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  #note(thing: Thing, answer: Answer, action: string): void {
    const request = String(answer.headers['x-request-id']);
    this.round.ledger.changes.push({ thing, request, action, lasting: answer.headers.location !== undefined });
    this.round.answered();
  }

  // The server holds the call until there is news.
  async #wait(answer: Answer, thing: Thing): Promise<void> {
    if (answer.headers.location === undefined) return;
    const { pathname } = new URL(answer.headers.location);
    for (;;) {
      const { body } = await this.#call('GET', pathname);
      const { status, message } = body.metadata;
      if (status === 'DONE') return;
      if (status === 'FAILED') assert.ok(thing.doomed, `${thing.kind} ${thing.name} FAILED: ${message}`);
      if (status !== 'BUSY') return;
    }
  }
}

// How each kind is brought to its next revision.
function revision({ kind, name }: Thing, next: string): [method: string, body: object] {
  const marked = `${name}.${next}`;
  if (kind === 'label') return ['PUT', { properties: { key: name, value: next } }];
  if (kind === 'user') return ['PUT', { properties: { firstname: 'A', lastname: next, email: name, administrator: false } }];
  if (kind === 'group') return ['PUT', { properties: { name: marked } }];
  return ['PATCH', { name: marked }];
}

const hashOf = (text: string): number => [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
