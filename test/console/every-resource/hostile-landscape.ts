// A datacenter, a zone, logs and objects whose names are markup, right-to-left text, one long word, emoji and control
// characters.
import assert from 'node:assert/strict';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { addLogPipeline, post, stream } from '../../harness/logs.ts';
import { makeStorageKey, s3Client } from '../../harness/objects.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region } from '../../harness/region.ts';
import { markup } from './hostile-world.ts';

export const names = [
  markup,
  `\u202Egnirts \u2067\u2066 sdrawkcab`,
  'w'.repeat(255),
  '👩‍👩‍👧‍👦'.repeat(20),
  `a\u0007b\u001B[31mc\td\u2028e`,
] as const;
const description = `${markup} \u202E${'d'.repeat(3900)}`;

export interface Landscape {
  datacenter: string; // API paths without the prefix
  server: string;
  nic: string;
  zone: string;
  pipeline: string;
}

export async function landscapeOf(region: Region): Promise<Landscape> {
  const properties = { name: markup, description, location: 'de/txl' };
  const datacenter = `/datacenters/${(await createDone(region, `${core}/datacenters`, { properties })).id}`;
  const lan = await createDone(region, `${core}${datacenter}/lans`, { properties: { name: names[2], public: true } });
  const nics = { items: [{ properties: { name: names[1], lan: Number(lan.id) } }] };
  const volumes = { items: [{ properties: { name: names[2], type: 'HDD', size: 10, licenceType: 'LINUX' } }] };
  const made = await Promise.all(
    names.map((name) =>
      createDone(region, `${core}${datacenter}/servers`, {
        properties: { name, cores: 1, ram: 1024 },
        entities: { nics, volumes },
      }),
    ),
  );
  const server = `${datacenter}/servers/${made[0]?.id}`;
  const { body } = await region.call('GET', `${core}${server}/nics`);
  const nic = `${server}/nics/${body.items[0]?.id}`;
  const rule = { name: markup, protocol: 'TCP', portRangeStart: 80, portRangeEnd: 80 };
  await createDone(region, `${core}${nic}/firewallrules`, { properties: rule });
  for (const value of [markup, names[2]]) {
    const label = { properties: { key: value === markup ? 'markup' : 'k'.repeat(63), value } };
    assert.equal((await region.call('POST', `${core}${server}/labels`, label)).status, 201);
  }
  const zone = await region.call('POST', '/dns/zones', {
    properties: { zoneName: 'hostile.example.com', description },
  });
  assert.equal(zone.status, 202, JSON.stringify(zone.body));
  const record = { name: 'www', type: 'TXT', content: `${'t'.repeat(200)}<img src=x onerror=hostile(9)>` };
  assert.equal((await region.call('POST', `/dns/zones/${zone.body.id}/records`, { properties: record })).status, 202);
  const pipeline = await addLogPipeline(region, [stream('web')], {
    at: '/de-fra/logging/pipelines',
    name: '<img src=x onerror=>',
  });
  assert.equal((await post(region, pipeline, '/web', { level: markup, message: description })).status, 200);
  const client = s3Client(region, await makeStorageKey(region));
  await client.send(new CreateBucketCommand({ Bucket: 'hostile' }));
  for (const Key of [`${markup}/inside`, `${names[1]}.txt`, names[2], 'k'.repeat(900)])
    await client.send(new PutObjectCommand({ Bucket: 'hostile', Key, Body: description }));
  client.destroy();
  return { datacenter, server, nic, zone: `/zones/${zone.body.id}`, pipeline: `/pipelines/${pipeline.id}` };
}
