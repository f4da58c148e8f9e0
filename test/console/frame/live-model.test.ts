// Tests of live updates in the web app: which changes concern a page, and how the stream is parsed.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { concerns, notifyChanges, watchChanges } from '../../../console/changes.ts';
import { eventsOf } from '../../../console/event-stream.ts';

suite('live pages', () => {
  test('receive changes at, below and above their paths, in one region or all regions', () => {
    const datacenter = '/cloudapi/v6/datacenters/D';
    assert.ok(concerns(datacenter, datacenter));
    assert.ok(concerns(datacenter, `${datacenter}/servers/S`));
    assert.ok(concerns(`${datacenter}/servers/S`, datacenter));
    assert.ok(concerns('/dns/zones', '/de-fra/dns/zones/Z'));
    assert.ok(concerns('/de-fra/dns/zones', '/de-fra/dns/zones/Z/records/R'));
    assert.ok(concerns('/cloudapi/v6/datacenters/-/servers', `${datacenter}/servers/S/nics/N`), 'of any datacenter');
    assert.ok(concerns('/cloudapi/v6/datacenters/-/servers', datacenter));
    assert.ok(!concerns('/cloudapi/v6/datacenters/-/servers', `${datacenter}/volumes/V`));
    assert.ok(!concerns('/de-txl/dns/zones', '/de-fra/dns/zones/Z'));
    assert.ok(!concerns(datacenter, '/cloudapi/v6/datacenters/DD'));
    assert.ok(!concerns(`${datacenter}/servers`, `${datacenter}/volumes/V`));
    assert.ok(!concerns(`${datacenter}/servers`, '/cloudapi/v6/requests/R'));
  });

  test('receive one call for many changes, and none after they unsubscribe', async () => {
    let [calls, others] = [0, 0];
    const called = Promise.withResolvers<void>();
    const stop = watchChanges(['/a/b'], () => {
      calls++;
      called.resolve();
    });
    const stopOther = watchChanges(['/a/c'], () => others++);
    for (let count = 0; count < 50; count++) notifyChanges([['changed', `/a/b/${count}`]]);
    await called.promise;
    assert.deepEqual([calls, others], [1, 0]);
    notifyChanges('all');
    stop();
    stopOther();
    const last = Promise.withResolvers<void>();
    const stopLast = watchChanges(['/'], () => last.resolve());
    notifyChanges('all');
    await last.promise;
    stopLast();
    assert.deepEqual([calls, others], [1, 0]);
  });

  test('parse events independent of chunk borders', async () => {
    const text =
      'event: open\ndata: {}\n\n:\n\nevent: changes\ndata: [["made","/é"]]\n\nevent: all\ndata: {}\n\nevent: cut';
    const bytes = new TextEncoder().encode(text);
    const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const events: string[] = [];
    for await (const { event, data } of eventsOf(pieces)) events.push(`${event} ${data}`);
    assert.deepEqual(events, ['open {}', 'message ', 'changes [["made","/é"]]', 'all {}']);
  });
});
