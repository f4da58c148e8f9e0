// Flow logs black box, from the traffic of the lab to the objects that an S3 client reads.

import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { recordsIn } from '../../../src/testing/black-box/compute.ts';
import { limits } from '../../../src/testing/limits.ts';
import { until } from '../../../src/testing/waiting.ts';
import { addDatacenter, assertRefused, done, read } from '../../harness/landscape.ts';
import { makeStorageKey, s3Client } from '../../harness/objects.ts';
import { addGroup, addPerson, core } from '../../harness/people.ts';
import { createDone, type Region, startRegion } from '../../harness/region.ts';
import { secondContract } from '../../sweep/api.ts';
import { addBlock, addLan, addNic, type NicOfTest, outside, send } from '../traffic/packets.ts';

const intervalMs = 600_000;
const web = { name: 'web', action: 'ALL', direction: 'BIDIRECTIONAL', bucket: 'logs' };

suite('published flow logs', () => {
  let region: Region;
  let s3: S3Client;
  let nic: NicOfTest; // in a public LAN, with a firewall that lets port 80 in
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new CreateBucketCommand({ Bucket: 'logs' }));
    const datacenter = await addDatacenter(region);
    const lan = await addLan(region, datacenter, { public: true });
    nic = await addNic(region, datacenter, { lan, ips: await addBlock(region, 1), firewallActive: true });
    const rule = { name: 'web', protocol: 'TCP', portRangeStart: 80, portRangeEnd: 80 };
    await createDone(region, `${nic.path}/firewallrules`, { properties: rule });
  });
  after(() => region.stop());
  // Flows of one test are in one interval, and so in one object.
  beforeEach(async () => {
    const { body } = await region.call<{ now: string }>('GET', '/lab/clock');
    await advance(intervalMs - (Date.parse(body.now) % intervalMs));
  });

  const advance = async (advanceMs: number): Promise<void> => {
    const { status } = await region.call('PUT', '/lab/clock', { advanceMs });
    assert.equal(status, 200);
  };
  const endInterval = (): Promise<void> => advance(intervalMs);
  const keys = async (Bucket = 'logs'): Promise<string[]> =>
    (await s3.send(new ListObjectsV2Command({ Bucket }))).Contents?.map(({ Key }) => String(Key)) ?? [];
  const records = async (Key: string): Promise<string[][]> => {
    const { Body, ContentType } = await s3.send(new GetObjectCommand({ Bucket: 'logs', Key }));
    assert.equal(ContentType, 'application/gzip');
    return recordsIn(Buffer.from((await Body?.transformToByteArray()) ?? []));
  };
  // On PostgreSQL the leases of a killed node last for a while.
  const publishedAs = async (prefix: string): Promise<string> => {
    const isSo = (one: string): boolean => one.startsWith(prefix);
    const look = async (): Promise<string[]> => {
      const found = await keys();
      if (!found.some(isSo)) await region.call('PUT', '/lab/clock', { advanceMs: 10_000 });
      return found;
    };
    const wait = { limitMs: limits.takeover };
    return (await until(`there is an object ${prefix}`, look, (found) => found.some(isSo), wait)).find(isSo) ?? '';
  };
  const sendTo = (port: number, more: object = {}) =>
    send(region, outside, nic.ip, { to: { address: nic.ip, port }, sourcePort: 40_000, ...more });

  test('[FLOW-01] the bucket must exist, and belong to the contract or to the user who creates the flow log', async () => {
    const other = await secondContract(region);
    const { token } = other;
    const users = await region.call('GET', `${core}/um/users`, undefined, { token });
    const key = await makeStorageKey(region, { id: String(users.body.items[0]?.id), token });
    await s3Client(region, key).send(new CreateBucketCommand({ Bucket: 'theirs' }));
    const { user, token: ofUser } = await addPerson(region);
    await addGroup(region, ['s3Privilege'], [user]);
    const colleague = s3Client(region, await makeStorageKey(region, { id: user.id, token: ofUser }), { region: 'de' });
    await colleague.send(new CreateBucketCommand({ Bucket: 'private-to-user' }));
    for (const bucket of ['missing', 'theirs/prefix', 'private-to-user'])
      assertRefused(
        await region.call('POST', `${nic.path}/flowlogs`, { properties: { ...web, bucket } }),
        `properties.bucket] Bucket ${bucket.split('/')[0]} does not exist`,
      );
  });

  test('[FLOW-03] [FLOW-04] [FLOW-06] an S3 client reads the flows of a NIC ten minutes later', async () => {
    const properties = { ...web, bucket: 'logs/flowlogs' };
    const { id } = await createDone(region, `${nic.path}/flowlogs`, { properties });
    await sendTo(80, { packets: 10, bytes: 840 });
    await sendTo(22);
    assert.deepEqual(await keys(), []);
    await endInterval();
    const [key = '', ...more] = await keys();
    assert.deepEqual(more, []);
    assert.match(key, /^flowlogs\/web-\d{10}\.log\.gz$/);
    const published = await records(key);
    const seconds = published.map((fields) => fields.splice(10, 2).map(Number));
    const front = ['2', String(region.contract), nic.id, '203.0.113.7', nic.ip, '40000'];
    assert.deepEqual(published, [
      [...front, '80', '6', '10', '840', 'ACCEPT', 'OK'],
      [...front, '22', '6', '1', '60', 'REJECT', 'OK'],
    ]);
    for (const [first = 0, last = 0] of seconds) {
      const end = Number(/-(\d+)\./.exec(key)?.[1]);
      assert.ok(first <= last && last < end && first >= end - 600, `${first} ${last} ${end}`);
    }
    await endInterval();
    assert.deepEqual(await keys(), [key], 'without traffic there is no object');
    await done(region, 'DELETE', `${nic.path}/flowlogs/${id}`);
    assert.deepEqual(await keys(), [key], 'objects stay');
    await s3.send(new DeleteObjectCommand({ Bucket: 'logs', Key: key }));
  });

  test('[FLOW-01] a flow log without its bucket is INACTIVE, is reported once, and continues when the bucket is back', async () => {
    const { id } = await createDone(region, `${nic.path}/flowlogs`, { properties: web });
    const path = `${nic.path}/flowlogs/${id}`;
    const state = async (): Promise<unknown> => (await read(region, path)).metadata.state;
    await sendTo(80);
    await s3.send(new DeleteBucketCommand({ Bucket: 'logs' }));
    await endInterval();
    await endInterval();
    assert.equal(await state(), 'INACTIVE');
    const entries = async (action: string): Promise<string[]> => {
      const log = await region.call<{ hits: { hits: { _source: Record<string, unknown> }[] } }>(
        'GET',
        `/activitylog/v1/contracts/${region.contract}?limit=1000`,
      );
      const found = log.body.hits.hits.filter(({ _source }) => _source.action === action);
      return found.map(({ _source }) => String(_source.resource));
    };
    assert.deepEqual(await entries('net.flowlog.pause'), [`flowlog/${id}`]);
    await done(region, 'PATCH', path, { name: 'renamed' });
    await sendTo(22);
    await s3.send(new CreateBucketCommand({ Bucket: 'logs' }));
    await endInterval();
    const found = await keys();
    assert.deepEqual(await Promise.all(found.map(async (key) => (await records(key)).map((fields) => fields[12]))), [
      ['ACCEPT'],
      ['REJECT'],
    ]);
    assert.ok(found.every((key) => key.startsWith('renamed-')));
    assert.equal(await state(), 'AVAILABLE');
    assert.deepEqual(await entries('net.flowlog.resume'), [`flowlog/${id}`]);
    await done(region, 'DELETE', path);
  });

  test('[GEN-06] acknowledged flows are in their object after kill -9, exactly once', async () => {
    const { id } = await createDone(region, `${nic.path}/flowlogs`, { properties: { ...web, name: 'killed' } });
    await sendTo(80, { count: 500, sourcePortStep: 1 });
    await region.kill();
    await region.start();
    s3 = s3Client(region, await makeStorageKey(region));
    await sendTo(80, { count: 600, sourcePortStep: 1 });
    await endInterval();
    const key = await publishedAs('killed-');
    const packets = (await records(key)).map((fields) => Number(fields[8]));
    assert.deepEqual([packets.length, packets.reduce((sum, one) => sum + one)], [600, 1100]);
    await done(region, 'DELETE', `${nic.path}/flowlogs/${id}`);
  });
});
