// A body that an operation takes.
import assert from 'node:assert/strict';
import { core } from '../harness/people.ts';
import type { Region } from '../harness/region.ts';
import { all, bodyFor } from '../harness/samples.ts';
import { fill, type Operation } from './api.ts';
import { type Json, validFor } from './values.ts';
import { bodiesOf, type World } from './world.ts';

// A body that the operation would accept: of a new resource, or of the existing one.
export async function baseOf(region: Region, one: Operation, world: World): Promise<Json> {
  const { ids } = world;
  const known = bodiesOf(world)[one.id];
  if (known !== undefined) return known;
  const sampled = all.find(({ name, sample }) => one.id === `${name}_create` && sample?.properties);
  if (sampled) {
    const made = new Map([['datacenter', `${core}/datacenters/${ids.datacenterId}`]]);
    world.bodies[one.id] ??= await bodyFor(region, sampled.name, fill(one, ids), made);
    return structuredClone(world.bodies[one.id]) as Json;
  }
  if (one.method === 'POST') return validFor(one.body ?? {});
  if (one.method === 'PATCH') return {};
  const { status, body } = await region.call('GET', fill(one, ids));
  assert.equal(status, 200, `${one.id} ${JSON.stringify(body)}`);
  return { properties: body.properties as { [key: string]: Json } };
}
