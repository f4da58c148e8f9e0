// Creates datacenters, servers and their parts for black-box tests, and waits for each.
import assert from 'node:assert/strict';
import { core } from './people.ts';
import { type Answer, createDone, type Region, type ResourceBody, waitRequest } from './region.ts';

export const small = { name: 'a server', cores: 1, ram: 1024 };
export const disk = { name: 'a disk', type: 'HDD', size: 10, licenceType: 'LINUX' };
export const cubeXs = 'Basic Cube XS';

export async function addDatacenter(region: Region, location = 'de/txl'): Promise<string> {
  const { id } = await createDone(region, `${core}/datacenters`, { properties: { name: 'a datacenter', location } });
  return `${core}/datacenters/${id}`;
}

export async function addServer(region: Region, datacenter: string, more: object = {}, entities?: object) {
  const body = { properties: { ...small, ...more }, ...(entities && { entities }) };
  const { id } = await createDone(region, `${datacenter}/servers`, body);
  return `${datacenter}/servers/${id}`;
}

export async function addVolume(region: Region, datacenter: string, more: object = {}): Promise<string> {
  const { id } = await createDone(region, `${datacenter}/volumes`, { properties: { ...disk, ...more } });
  return id;
}

export async function templateId(region: Region, name = cubeXs): Promise<string> {
  const { body } = await region.call('GET', `${core}/templates?depth=1`);
  const found = body.items.find(({ properties }) => properties.name === name);
  assert.ok(found, name);
  return found.id;
}

export const das = { items: [{ properties: { name: 'nvme', type: 'DAS', licenceType: 'LINUX' } }] };

export async function addCube(region: Region, datacenter: string): Promise<string> {
  const properties = { name: 'a cube', type: 'CUBE', templateUuid: await templateId(region) };
  const { id } = await createDone(region, `${datacenter}/servers`, { properties, entities: { volumes: das } });
  return `${datacenter}/servers/${id}`;
}

// A change that is waited for: the answer that accepted it.
export async function done(region: Region, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await region.call(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  await waitRequest(region, answer.headers.location);
  return answer;
}

export async function read(region: Region, path: string): Promise<ResourceBody> {
  const { status, body } = await region.call('GET', path);
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  return body;
}

// It is refused, and each of these texts is in one of the messages.
export function assertRefused({ status, body }: Answer, ...texts: (string | RegExp)[]): void {
  const messages = (body.messages ?? []).map(({ errorCode, message }) => `${errorCode} ${message}`);
  assert.equal(status, 422, JSON.stringify(body));
  for (const text of texts)
    assert.ok(
      messages.some((message) => (typeof text === 'string' ? message.includes(text) : text.test(message))),
      `${text} is not among ${JSON.stringify(messages)}`,
    );
}

export async function figures(region: Region): Promise<Record<string, number>> {
  const { body } = await region.call('GET', `${core}/contracts`);
  return (body.items[0] as ResourceBody).properties.resourceLimits as Record<string, number>;
}

export async function publicLan(region: Region, datacenter: string): Promise<number> {
  return Number((await createDone(region, `${datacenter}/lans`, { properties: { public: true } })).id);
}

// Creates a NIC in a new server and datacenter, and returns its path.
export async function nicIn(region: Region): Promise<string> {
  const server = await addServer(region, await addDatacenter(region));
  return `${server}/nics/${(await createDone(region, `${server}/nics`, { properties: { lan: 1 } })).id}`;
}

// Of a public image.
export async function imageId(region: Region, imageType: 'HDD' | 'CDROM', location = 'de/txl'): Promise<string> {
  const query = `filter.imageType=${imageType}&filter.location=${location}`;
  const { items } = await read(region, `${core}/images?${query}`);
  assert.ok(items[0], `there is no ${imageType} image in ${location}`);
  return items[0].id;
}

export async function addBlock(region: Region, size: number, location = 'de/txl'): Promise<string[]> {
  const block = await createDone(region, `${core}/ipblocks`, { properties: { location, size } });
  return block.properties.ips as string[];
}
