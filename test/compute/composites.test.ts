// Operations of servers and their parts in progress: which resources are BUSY, what a failure leaves, how races end.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  addDatacenter,
  addServer,
  addVolume,
  assertRefused,
  disk,
  done,
  figures,
  read,
  small,
} from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';

const composite = {
  properties: { ...small, cores: 2 },
  entities: {
    volumes: { items: [{ properties: disk }, { properties: { ...disk, type: 'SSD' } }] },
    nics: { items: [{ properties: { lan: 31 } }, { properties: { lan: 32 } }] },
  },
};

suite('composites and failures', () => {
  let region: Region;
  before(async () => {
    region = await startRegion({ args: ['--hold', '20'] });
  });
  after(() => region.stop());

  const plant = async (...faults: object[]) => {
    const answer = await region.call('PUT', '/lab/faults', { faults });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  const left = async (datacenter: string): Promise<number[]> => {
    const { entities } = await read(region, `${datacenter}?depth=2`);
    return ['servers', 'volumes', 'lans'].map((name) => entities[name]?.items.length ?? -1);
  };

  test('planted faults that match nothing are reported, each with its place', async () => {
    const fault = { kind: 'server', step: 'create.boot', mode: 'fail' };
    const faults = [fault, { ...fault, kind: 'foo' }, { ...fault, step: 'create.fly' }];
    assertRefused(
      await region.call('PUT', '/lab/faults', { faults }),
      '[(root).faults.[1]] There is no kind foo',
      '[(root).faults.[2]] server has no step create.fly',
    );
    assert.deepEqual((await region.call('GET', '/lab/faults')).body, { faults: [] });
  });

  test('[CORE-23] a composite creation that fails at any step leaves nothing', async () => {
    const datacenter = await addDatacenter(region);
    const empty = await figures(region);
    const steps = ['server create.allocate', 'server create.boot', 'volume create.allocate', 'nic create.connect'];
    for (const point of [...steps, 'lan create.connect'])
      for (const when of ['before', 'after']) {
        const [kind, step] = point.split(' ');
        await plant({ kind, step, mode: 'fail', when, message: 'broken by a test' });
        const answer = await region.call('POST', `${datacenter}/servers`, composite);
        assert.equal(answer.status, 202, JSON.stringify(answer.body));
        const ended = await waitRequest(region, answer.headers.location);
        assert.deepEqual([ended.metadata.status, ended.metadata.message], ['FAILED', 'broken by a test'], point);
        assert.deepEqual(await left(datacenter), [0, 0, 0], point);
        assert.deepEqual(await figures(region), empty, point);
      }
    await done(region, 'POST', `${datacenter}/servers`, composite);
    assert.deepEqual(await left(datacenter), [1, 2, 2]);
    await done(region, 'DELETE', datacenter);
    assert.deepEqual(await figures(region), empty);
  });

  test('a failed attach, detach, stop or removal changes nothing', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await createDone(region, `${datacenter}/lans`, { properties: { public: true } });
    const nics = { items: [{ properties: { lan: Number(lan.id) } }] };
    const server = await addServer(region, datacenter, {}, { volumes: { items: [{ properties: disk }] }, nics });
    const free = await addVolume(region, datacenter);
    const shown = async () => {
      const { properties, entities } = await read(region, `${server}?depth=3`);
      const items = [...(entities.volumes?.items ?? []), ...(entities.nics?.items ?? [])];
      return JSON.stringify([properties, items.map((one) => [one.id, one.properties, one.metadata.state])]);
    };
    const before = await shown();
    const [, { id: attached }] = JSON.parse(before) as [unknown, { id: string }];
    const volumes = (await read(region, `${server}/volumes`)).items;
    assert.ok(attached === undefined || volumes.length > 0);
    for (const [kind, step, method, path, body] of [
      ['volume', 'attach.connect', 'POST', `${server}/volumes`, { id: free }],
      ['volume', 'detach.disconnect', 'DELETE', `${server}/volumes/${volumes[0]?.id}`],
      ['server', 'stop.halt', 'POST', `${server}/stop`],
      ['server', 'remove.halt', 'DELETE', `${server}?deleteVolumes=true`],
      ['server', 'remove.release', 'DELETE', server],
    ] as const) {
      await plant({ kind, step, mode: 'fail', when: 'after', message: 'no' });
      const answer = await region.call(method, path, body);
      assert.equal(answer.status, 202, `${step} ${JSON.stringify(answer.body)}`);
      assert.equal((await waitRequest(region, answer.headers.location)).metadata.status, 'FAILED', step);
      assert.equal(await shown(), before, step);
    }
    const volume = await read(region, `${datacenter}/volumes/${free}`);
    assert.deepEqual([volume.properties.deviceNumber, volume.metadata.state], [null, 'AVAILABLE']);
    await done(region, 'POST', `${server}/volumes`, { id: free });
  });

  test('a LAN that two requests need remains when the one that created it fails', async () => {
    const datacenter = await addDatacenter(region);
    const [one, other] = [await addServer(region, datacenter), await addServer(region, datacenter)];
    await plant({ kind: 'nic', step: 'create.connect', mode: 'stall' });
    const maker = await region.call('POST', `${one}/nics`, { properties: { lan: 5 } });
    const user = await region.call('POST', `${other}/nics`, { properties: { lan: 5 } });
    assert.deepEqual([maker.status, user.status], [202, 202]);
    await waitRequest(region, user.headers.location);
    await plant({ kind: 'lan', step: 'create.connect', mode: 'fail' });
    assert.equal((await waitRequest(region, maker.headers.location)).metadata.status, 'FAILED');
    const lan = await read(region, `${datacenter}/lans/5?depth=1`);
    assert.equal(lan.metadata.state, 'AVAILABLE');
    assert.deepEqual(
      lan.entities.nics?.items.map(({ id }) => id),
      [user.body.id],
    );
  });

  test('[CORE-03] attaching shows the server as BUSY and locks nothing; the volume waits for its end', async () => {
    const datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter);
    const [one, other] = [await addVolume(region, datacenter), await addVolume(region, datacenter)];
    await plant({ kind: 'volume', step: 'attach.connect', mode: 'stall', message: 'wait' });
    const first = await region.call('POST', `${server}/volumes`, { id: one });
    const states = async () =>
      Promise.all(
        [server, datacenter, `${datacenter}/volumes/${one}`].map(
          async (path) => (await read(region, path)).metadata.state,
        ),
      );
    assert.deepEqual(await states(), ['BUSY', 'BUSY', 'BUSY']);
    const status = await read(region, new URL(String(first.headers.location)).pathname);
    assert.equal(status.metadata.status, 'BUSY');
    await done(region, 'POST', `${server}/volumes`, { id: other });
    await done(region, 'POST', `${server}/nics`, { properties: { lan: 1 } });
    for (const [method, path, body] of [
      ['PATCH', `${datacenter}/volumes/${one}`, { name: 'x' }],
      ['DELETE', `${datacenter}/volumes/${one}`],
      ['DELETE', `${server}/volumes/${one}`],
      ['DELETE', server],
    ] as const)
      assertRefused(await region.call(method, path, body), `The volume ${one} is BUSY`);
    await plant();
    await waitRequest(region, first.headers.location);
    assert.deepEqual(await states(), ['AVAILABLE', 'AVAILABLE', 'AVAILABLE']);
    assert.deepEqual((await read(region, `${server}/volumes`)).items.length, 2);
  });

  test('[CORE-21] two requests for the last core: one wins', async () => {
    const { coresPerContract = 0, coresProvisioned = 0 } = await figures(region);
    const datacenter = await addDatacenter(region);
    const free = coresPerContract - coresProvisioned;
    const whole = Math.floor(free / 62) - 1;
    const filler = { properties: { ...small, ram: 256, cores: 62 } };
    const answers = await Promise.all(
      Array.from({ length: whole }, () => region.call('POST', `${datacenter}/servers`, filler)),
    );
    assert.ok(answers.every(({ status }) => status === 202));
    const rest = free - whole * 62;
    const last = { properties: { ...small, ram: 256, cores: Math.floor(rest / 2) + 1 } };
    const race = await Promise.all([1, 2, 3].map(() => region.call('POST', `${datacenter}/servers`, last)));
    assert.deepEqual(race.map(({ status }) => status).sort(), [202, 422, 422]);
    assertRefused(
      race.find(({ status }) => status === 422) as (typeof race)[number],
      `The limit coresPerContract of the contract is ${coresPerContract}`,
    );
    await Promise.all(
      [...answers, ...race].map((answer) => answer.status === 202 && waitRequest(region, answer.headers.location)),
    );
    await done(region, 'DELETE', datacenter);
    assert.equal((await figures(region)).coresProvisioned, coresProvisioned);
    assert.equal((await region.call('GET', `${core}/datacenters`)).status, 200);
  });
});
