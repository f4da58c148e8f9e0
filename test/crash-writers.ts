// A writer of the crash test: creates, changes and removes things of its own, so that it always knows what the last
// answer promised, until the process under it is killed.
import assert from 'node:assert/strict';
import { type Kind, keyOf, type Ledger, type Thing, tokenId } from './crash-ledger.ts';
import { core } from './people.ts';
import type { Answer } from './region.ts';
import type { Chance } from './seed.ts';

export interface Round {
  call(method: string, path: string, body?: unknown): Promise<Answer>; // a change: never asked twice
  look(path: string): Promise<Answer>;
  ledger: Ledger;
  chance: Chance;
  number: number;
  over: boolean; // the process was told to die: no answer may come any more
  answered(): void; // called with each change that was answered
}

// The process died before it answered, and the round is over.
export class Gone extends Error {}

// The round goes on, but this change has no answer that tells whether it was made; `nothing`: one that says it was not.
export class Lost extends Error {
  readonly nothing: boolean;

  constructor(nothing: boolean) {
    super('no answer');
    this.nothing = nothing;
  }
}

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
      (one) => one.kind === kind && isSure(one) && one.parent === parent && this.#isMine(one),
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
    const told = String(properties.key ?? properties.email ?? properties.name ?? '');
    const name = properties.name === undefined ? told : told.slice(0, -2);
    const thing = unnamed ? undefined : ledger.add(kind, name, parent);
    const inside = (entities?.lans.items ?? []).map((item) =>
      ledger.add('lan', item.properties.name.slice(0, -2), thing),
    );
    if (unnamed) ledger.unseen.s3key += 1;
    const undo = (): void => {
      if (unnamed) ledger.unseen.s3key -= 1;
      for (const one of [...inside, thing]) if (one) one.there = false;
    };
    const answer = await this.#call('POST', core + place, body, undo);
    this.#expect(answer, kind === 'label' ? 201 : 202, `POST ${place}`);
    if (unnamed) ledger.unseen.s3key -= 1;
    const made = thing ?? ledger.add(kind, answer.body.id, parent);
    Object.assign(made, { there: true, path: `${place}/${answer.body.id}` });
    if (unnamed) made.secret = String(answer.body.properties.secretKey);
    for (const one of inside) one.there = true;
    this.#note(made, answer, `${action}.create`);
    if (wait) await this.#wait(answer, made);
    return made;
  }

  async revise(thing: Thing, action: string): Promise<void> {
    const next = String(Number(thing.revisions.at(-1)) + 1);
    thing.revisions.push(next);
    const [method, body] = revision(thing, next);
    const answer = await this.#call(method, core + thing.path, body, () => void thing.revisions.pop());
    this.#expect(answer, thing.kind === 'label' ? 200 : 202, `${method} ${thing.path}`);
    thing.revisions = [next];
    this.#note(thing, answer, `${action}.update`);
    await this.#wait(answer, thing);
  }

  async remove(thing: Thing, action: string, whole = false): Promise<void> {
    const { ledger } = this.round;
    const before = [thing, ...ledger.below(thing)].map((one) => [one, { ...one }] as const);
    ledger.removing(thing);
    const undo = (): void => {
      for (const [one, { there, doomed }] of before) Object.assign(one, { there, doomed });
    };
    const answer = await this.#call('DELETE', thing.kind === 'token' ? thing.path : core + thing.path, undefined, undo);
    this.#expect(answer, thing.kind === 'label' || thing.kind === 'token' ? 200 : 202, `DELETE ${thing.path}`);
    ledger.removed(thing);
    this.#note(thing, answer, whole ? action : `${action}.delete`);
    if (this.round.chance.often(50)) await this.#wait(answer, thing);
  }

  async join(group: Thing, user: Thing): Promise<void> {
    const { ledger } = this.round;
    const name = `${group.name} ${user.name}`;
    if (ledger.things.get(keyOf('member', name))?.there === 'perhaps') return;
    const thing = ledger.add('member', name, group);
    thing.other = user;
    const undo = (): void => {
      thing.there = false;
    };
    const sent = { id: user.path.split('/').at(-1) };
    const answer = await this.#call('POST', `${core}${group.path}/users`, sent, undo);
    this.#expect(answer, 202, 'POST …/users');
    Object.assign(thing, { there: true, path: `${group.path}/users/${answer.body.id}` });
    this.#note(thing, answer, 'sec.group.addUser');
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
    if (kind === 'token')
      return this.round.number >= 0 && path !== '' && hashOf(name) % 4 === Math.floor(this.#index / 5);
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

  #note(thing: Thing, answer: Answer, action: string): void {
    const request = String(answer.headers['x-request-id']);
    this.round.ledger.changes.push({ thing, request, action, lasting: answer.headers.location !== undefined });
    this.round.answered();
  }

  // The server holds the call until there is news.
  async #wait(answer: Answer, thing: Thing): Promise<void> {
    if (answer.headers.location === undefined) return;
    const { pathname } = new URL(answer.headers.location);
    while (!this.round.over) {
      const { body } = await this.round.look(pathname).catch((error: unknown) => {
        if (this.round.over) throw new Gone();
        throw error;
      });
      const { status, message } = body.metadata;
      if (status === 'DONE') return;
      if (status === 'FAILED') assert.ok(thing.doomed, `${thing.kind} ${thing.name} FAILED: ${message}`);
      if (status !== 'BUSY') return;
    }
  }
}

// What a lost call may have touched is left alone until the round has ended.
const isSure = ({ there, path, revisions }: Thing): boolean => there === true && path !== '' && revisions.length === 1;

// How each kind is brought to its next revision.
function revision({ kind, name }: Thing, next: string): [method: string, body: object] {
  const marked = `${name}.${next}`;
  if (kind === 'label') return ['PUT', { properties: { key: name, value: next } }];
  if (kind === 'user')
    return ['PUT', { properties: { firstname: 'A', lastname: next, email: name, administrator: true } }];
  if (kind === 'group') return ['PUT', { properties: { name: marked } }];
  return ['PATCH', { name: marked }];
}

const hashOf = (text: string): number => [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
