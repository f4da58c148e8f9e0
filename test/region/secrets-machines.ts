// Secrets of machines, of auto scaling groups and of backup units, through every route that accepts them: first-boot
// data of volumes, and passwords. Some requests are refused, some are accepted and fail, and some are still pending.
import assert from 'node:assert/strict';
import {
  addGroup,
  autoscaling,
  groupIn,
  putGroup,
  replicaConfiguration,
  untilSettled,
} from '../harness/autoscaling.ts';
import { addDatacenter, addServer, done, read, small, templateId } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, waitRequest } from '../harness/region.ts';
import type { Secrets } from '../harness/secrets-search.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

// Passwords of images are letters and digits only.
const planted = (secrets: Secrets, says: string): string =>
  secrets.know(says, `Planted${crypto.randomUUID().replaceAll('-', '')}`);

function firstBoot(secrets: Secrets, where: string): object {
  const key = base64(planted(secrets, `an SSH key, ${where}`));
  return {
    imagePassword: planted(secrets, `an image password, ${where}`),
    userData: base64(`#cloud-config\nwrite_files: [${planted(secrets, `user data, ${where}`)}]\n`),
    sshKeys: [
      `ssh-ed25519 ${secrets.know(`an encoded SSH key, ${where}`, key)} ${planted(secrets, `whose, ${where}`)}`,
    ],
  };
}

const system = { name: 'system', type: 'SSD', size: 20, imageAlias: 'ubuntu:latest' };

export async function inMachines(region: Region, secrets: Secrets, answers: string[]): Promise<void> {
  const datacenter = await addDatacenter(region);
  const server = await addServer(region, datacenter);
  const volume = (where: string) => ({ properties: { ...system, ...firstBoot(secrets, where) } });
  const volumes = (where: string) => ({ volumes: { items: [volume(where), volume(`${where}, second`)] } });
  const { id } = await createDone(region, `${datacenter}/volumes`, volume('POST volumes'));
  await createDone(region, `${datacenter}/servers`, { properties: small, entities: volumes('POST servers') });
  const attached = await done(region, 'POST', `${server}/volumes`, volume('POST servers/…/volumes'));
  await done(region, 'POST', `${server}/reboot`);
  await createDone(region, `${core}/datacenters`, {
    properties: { name: 'whole', location: 'de/txl' },
    entities: {
      servers: { items: [{ properties: small, entities: volumes('POST datacenters, in a server') }] },
      ...volumes('POST datacenters'),
    },
  });
  await createDone(region, `${datacenter}/servers`, {
    properties: { name: 'cube', type: 'CUBE', templateUuid: await templateId(region) },
    entities: {
      volumes: {
        items: [{ properties: { type: 'DAS', imageAlias: 'ubuntu:latest', ...firstBoot(secrets, 'a Cube') } }],
      },
    },
  });
  const snapshot = await done(region, 'POST', `${datacenter}/volumes/${id}/create-snapshot`, { properties: {} });
  await done(region, 'POST', `${datacenter}/volumes/${attached.body.id}/restore-snapshot`, {
    properties: { snapshotId: snapshot.body.id },
  });
  await refusedInMachines(region, secrets, answers, datacenter, `${datacenter}/volumes/${id}`);
  await inGroups(region, secrets, answers, datacenter);
  await failed(region, datacenter, volumes('a creation that fails'));
  await underWay(region, datacenter, volumes('a creation that is under way'));
  await inBackupUnits(region, secrets, answers);
}

// Each body has one wrong property among valid ones.
async function refusedInMachines(
  region: Region,
  secrets: Secrets,
  answers: string[],
  datacenter: string,
  volume: string,
): Promise<void> {
  const wrong = (where: string): object[] => [
    { imagePassword: `${planted(secrets, `a wrong image password, ${where}`)}-` },
    { imagePassword: [planted(secrets, `an image password in a list, ${where}`)] },
    { sshKeys: [planted(secrets, `a wrong SSH key, ${where}`)] },
    { sshKeys: planted(secrets, `an SSH key without a list, ${where}`) },
    { userData: `#cloud-config ${planted(secrets, `raw user data, ${where}`)}` },
    { userData: `${base64(planted(secrets, `user data that is not base64, ${where}`))}!` },
    { userData: { text: planted(secrets, `user data in an object, ${where}`) } },
    { password: planted(secrets, `an unknown property, ${where}`) },
    { imageAlias: 'none:latest' },
  ];
  const refuse = async (method: string, path: string, body: object): Promise<void> => {
    const answer = await region.call(method, path, body);
    assert.equal(answer.status, 422, `${method} ${path} ${JSON.stringify(answer.body)}`);
    answers.push(JSON.stringify(answer));
  };
  const place = `${datacenter}/volumes`;
  const headless = { ...system, userData: base64(planted(secrets, 'user data without a head')) };
  answers.push(JSON.stringify(await createDone(region, place, { properties: headless })));
  for (const one of wrong('POST volumes'))
    await refuse('POST', place, { properties: { ...system, ...firstBoot(secrets, 'next to a problem'), ...one } });
  for (const one of wrong('POST servers')) {
    const item = { properties: { ...system, ...firstBoot(secrets, 'next to a problem, in a server'), ...one } };
    await refuse('POST', `${datacenter}/servers`, { properties: small, entities: { volumes: { items: [item] } } });
  }
  for (const one of Object.entries(firstBoot(secrets, 'PATCH')))
    await refuse('PATCH', volume, Object.fromEntries([one]));
  const { body } = await region.call('GET', volume);
  await refuse('PUT', volume, { properties: { ...body.properties, ...firstBoot(secrets, 'PUT') } });
}

// In the configuration of replicas, which is stored for new replicas.
async function inGroups(region: Region, secrets: Secrets, answers: string[], datacenter: string): Promise<void> {
  const volume = (where: string) => ({ ...replicaConfiguration.volumes[0], ...firstBoot(secrets, where) });
  const configured = (...volumes: object[]) => ({ replicaConfiguration: { ...replicaConfiguration, volumes } });
  const group = await addGroup(region, configured(volume('POST groups')), datacenter);
  const put = await putGroup(region, group, { ...configured(volume('PUT groups')), minReplicaCount: 2 });
  assert.equal(put.status, 202, JSON.stringify(put.body));
  await putGroup(region, group, { minReplicaCount: 3 }); // one more, with the stored configuration
  for (const path of [group.path, `${autoscaling}/groups?depth=5`, `${group.path}/servers`, `${group.path}/actions`])
    answers.push(JSON.stringify(await read(region, path)));
  answers.push(JSON.stringify(put.body));
  const declared = {
    ...{ datacenter_id: group.properties.datacenter.id, name: 'declared', policy: group.properties.policy },
    ...{ min_replica_count: 1, max_replica_count: 1 },
    replica_configuration: {
      ...{ cores: 1, ram: 1024 },
      volume: {
        ...{ name: 'system', size: 10, type: 'HDD', image_alias: 'ubuntu:latest' },
        image_password: planted(secrets, 'an image password of a declaration'),
        user_data: base64(`#cloud-config\n# ${planted(secrets, 'user data of a declaration')}\n`),
        ssh_keys: [`ssh-ed25519 ${secrets.know('an SSH key of a declaration', base64(crypto.randomUUID()))}`],
      },
    },
  };
  const answer = await region.call('POST', `${autoscaling}/groups`, declared);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  answers.push(JSON.stringify(answer.body));
  await untilSettled(region, `${autoscaling}/groups/${answer.body.id}`);
  for (const wrong of [
    { imagePassword: `${planted(secrets, 'a wrong image password, POST groups')}-` },
    { sshKeys: planted(secrets, 'an SSH key without a list, POST groups') },
    { userData: `${base64(planted(secrets, 'user data that is not base64, POST groups'))}!` },
    { password: planted(secrets, 'an unknown property, POST groups') },
  ]) {
    const sent = { ...volume('next to a problem, in a group'), ...wrong };
    const properties = groupIn(datacenter, configured(sent));
    const refusal = await region.call('POST', `${autoscaling}/groups`, { properties });
    assert.equal(refusal.status, 422, JSON.stringify(refusal.body));
    answers.push(JSON.stringify(refusal));
  }
}

async function failed(region: Region, datacenter: string, entities: object): Promise<void> {
  const faults = [{ kind: 'server', step: 'create.boot', mode: 'fail' }];
  assert.equal((await region.call('PUT', '/lab/faults', { faults })).status, 200);
  const answer = await region.call('POST', `${datacenter}/servers`, { properties: small, entities });
  assert.equal((await waitRequest(region, answer.headers.location)).metadata.status, 'FAILED');
}

// Its journal row exists until other faults are planted.
async function underWay(region: Region, datacenter: string, entities: object): Promise<void> {
  const faults = [{ kind: 'server', step: 'create.boot', mode: 'stall' }];
  assert.equal((await region.call('PUT', '/lab/faults', { faults })).status, 200);
  const answer = await region.call('POST', `${datacenter}/servers`, { properties: small, entities });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
}

async function inBackupUnits(region: Region, secrets: Secrets, answers: string[]): Promise<void> {
  const place = `${core}/backupunits`;
  const secret = (says: string): string => secrets.plant(`the password of a backup unit, ${says}`);
  const unit = { name: 'unit', email: 'unit@example.com' };
  const { id } = await createDone(region, place, { properties: { ...unit, password: secret('POST') } });
  await done(region, 'PUT', `${place}/${id}`, { properties: { ...unit, password: secret('PUT') } });
  await done(region, 'PATCH', `${place}/${id}`, { password: secret('PATCH') });
  for (const [method, path, body] of [
    ['POST', place, { properties: { ...unit, password: [secret('in a list')] } }],
    ['POST', place, { properties: { ...unit, name: '?', password: secret('next to a wrong name') } }],
    ['POST', place, { properties: { ...unit, password: secret('of a name that is taken') } }],
    ['PATCH', `${place}/${id}`, { password: secret('too long').padEnd(300, 'x') }],
    ['PATCH', `${place}/${id}`, { email: 'x', password: secret('next to a wrong e-mail') }],
  ] as const) {
    const answer = await region.call(method, path, body);
    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    answers.push(JSON.stringify(answer));
  }
}
