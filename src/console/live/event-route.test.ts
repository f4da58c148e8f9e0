// Tests of one event stream: slow clients, changed rights, and its end.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createClock } from '../../base/clock.ts';
import type { Caller } from '../../core/access.ts';
import { type Row, rowOf, type WriteSet } from '../../core/state/engine.ts';
import type { Exchange } from '../../surface/http/exchange.ts';
import type { Batch } from './change-batches.ts';
import { ChangeFeed } from './change-feed.ts';
import { changesInWrites } from './changes-in-writes.ts';
import { eventRoute } from './event-route.ts';
import type { Visibility } from './visibility.ts';

const owner: Caller = {
  user: 'u',
  email: 'u@example.com',
  contract: 1,
  contracts: [1],
  role: 'owner',
  privileges: new Set(),
  shares: new Map(),
};

const reload = 'event: all data: {"clock":{"now":"1970-01-01T00:00:00.000Z","offsetMs":0}}';

interface Stream {
  next(): Promise<string | undefined>; // the next event; undefined at the end
  change(id: string): Promise<void>; // causes one batch
  close(): void;
}

async function openStream(findCaller: () => Caller = () => owner): Promise<Stream> {
  let follower: ((writes: WriteSet) => void) | undefined;
  const store = {
    identityEpoch: 0,
    follow: (one: (writes: WriteSet) => void) => {
      follower = one;
    },
  };
  const feed = new ChangeFeed(
    store,
    changesInWrites(() => []),
  );
  const leaving = new AbortController();
  const visibility = {
    of: async (_caller: Caller, { changes }: Batch) =>
      changes === 'all' ? 'all' : [...changes.keys()].map((path) => ['made', path]),
  } as unknown as Visibility;
  const closing = new AbortController();
  const clock = createClock(0, () => 0);
  const route = eventRoute({ feed, visibility, store, findCaller, clock, closing: closing.signal });
  const reply = await route.call({ who: owner, signal: leaving.signal } as unknown as Exchange);
  const pieces = (reply.stream as AsyncIterable<string>)[Symbol.asyncIterator]();
  assert.match(String((await pieces.next()).value), /^event: open/);
  return {
    async next() {
      const { done, value } = await pieces.next();
      return done ? undefined : String(value).trim().replaceAll('\n', ' ');
    },
    change(id) {
      const row: Row = rowOf({ contract: 1, place: 'datacenters', id });
      store.identityEpoch++; // so that the caller is checked again
      return new Promise((resolve) => {
        const stop = feed.listen(1, () => {
          stop();
          resolve();
        });
        follower?.([{ op: 'insert', table: 'resource', row }]);
      });
    },
    close: () => closing.abort(),
  };
}

suite('an event stream of changes', () => {
  test('sends each batch, and ends when the region stops', async () => {
    const stream = await openStream();
    await stream.change('A');
    assert.equal(await stream.next(), 'event: changes data: [["made","datacenters/A"]]');
    const next = stream.next();
    stream.close();
    assert.equal(await next, undefined);
  });

  test('asks a slow client to reload everything', async () => {
    const stream = await openStream();
    for (let batch = 0; batch < 21; batch++) await stream.change(String(batch));
    assert.equal(await stream.next(), reload);
    await stream.change('A');
    assert.equal(await stream.next(), 'event: changes data: [["made","datacenters/A"]]');
    stream.close();
  });

  test('asks a client whose rights have changed to reload everything', async () => {
    let caller = owner;
    const stream = await openStream(() => caller);
    caller = { ...owner, shares: new Map([['D', { edit: false, share: false }]]) };
    await stream.change('A');
    assert.equal(await stream.next(), reload);
    await stream.change('B');
    assert.equal(await stream.next(), 'event: changes data: [["made","datacenters/B"]]');
    stream.close();
  });

  test('ends before it sends a change to a caller who has lost access', async () => {
    const stream = await openStream(() => {
      throw new Error('the session has ended');
    });
    await stream.change('A');
    assert.equal(await stream.next(), undefined);
  });
});
