// One sample of each declared resource, and every point of its operations at which the lab can break them. Both
// come from the declarations themselves: a resource without a sample fails the test until it has one.
import assert from 'node:assert/strict';
import { computeResources } from '../src/compute/index.ts';
import type { Resource } from '../src/core/resource.ts';
import { identityResources, keyResources } from '../src/identity/index.ts';
import { core } from './people.ts';
import { createDone, type Region, type Shown } from './region.ts';

export type Way = 'create' | 'change' | 'remove';

export interface Sample {
  place(region: Region): Promise<string>; // makes what it stands in
  body(): object;
  change: object; // what PATCH sends, or the properties of a PUT
}

export interface Point {
  kind: string;
  way: Way;
  faults: object[]; // as the lab takes them
  says: string;
  ends: 'DONE' | 'FAILED';
}

let count = 0;
const at = (place: string) => (): Promise<string> => Promise.resolve(core + place);

const samples: Record<string, Sample> = {
  datacenter: {
    place: at('/datacenters'),
    body: () => ({
      properties: { name: 'before', location: 'de/txl' },
      entities: { lans: { items: [{ properties: { name: 'inside' } }] } },
    }),
    change: { name: 'after', description: 'changed' },
  },
  lan: {
    place: async (region) => {
      const properties = { name: 'parent', location: 'de/txl' };
      return `${core}/datacenters/${(await createDone(region, `${core}/datacenters`, { properties })).id}/lans`;
    },
    body: () => ({ properties: { name: 'before', public: true } }),
    change: { name: 'after', public: false },
  },
  ipblock: {
    place: at('/ipblocks'),
    body: () => ({ properties: { name: 'before', location: 'de/txl', size: 3 } }),
    change: { name: 'after' },
  },
  user: {
    place: at('/um/users'),
    body: () => {
      const email = `sample${++count}@example.com`;
      return { properties: { firstname: 'A', lastname: 'B', email, password: 'Sample-Password-1' } };
    },
    change: {},
  },
  group: {
    place: at('/um/groups'),
    body: () => ({ properties: { name: 'before', reserveIp: true } }),
    change: { name: 'after' },
  },
};

export const all: readonly Resource[] = [...identityResources, ...keyResources, ...computeResources] as Resource[];

const waysOf = ({ verbs }: Resource): Way[] => [
  ...(verbs.includes('create') ? ['create' as const] : []),
  ...(verbs.includes('change') || verbs.includes('replace') ? ['change' as const] : []),
  ...(verbs.includes('remove') ? ['remove' as const] : []),
];

// Resources whose operations end at once have no point to break them at: their one write set is whole or not there.
const lasts = (resource: Resource, way: Way): boolean =>
  resource[way].length > 0 || (way === 'remove' && all.some(({ parents }) => parents.includes(resource)));

export const operations = (): [resource: Resource, way: Way][] =>
  all.flatMap((resource) =>
    waysOf(resource)
      .filter((way) => lasts(resource, way))
      .map((way): [Resource, Way] => [resource, way]),
  );

export const failure = 'The sample was broken on purpose';

// `mode` at every point. A step that breaks before it is undone again ends FAILED; a broken commit, abort or undo is
// taken up again, and the operation ends as it would have.
export function pointsOf(mode: 'crash' | 'fail' | 'stall'): Point[] {
  return operations().flatMap(([resource, way]) => {
    const kind = resource.name;
    const fault = (step: string, how: string = mode, when = 'before'): object => ({
      kind,
      step: `${way}.${step}`,
      mode: how,
      when,
      message: failure,
    });
    const point = (says: string, ends: Point['ends'], ...faults: object[]): Point => ({
      kind,
      way,
      says,
      ends,
      faults,
    });
    const steps = resource[way].map(({ name }) => name);
    const last = steps.at(-1);
    const broken = mode === 'fail' ? 'FAILED' : 'DONE';
    const forward = steps.flatMap((step) => [
      point(`before ${step}`, broken, fault(step)),
      point(`after ${step}`, broken, fault(step, mode, 'after')),
    ]);
    const commit = point('at commit', 'DONE', fault('commit'));
    if (last === undefined) return [commit];
    const first = fault(last, 'fail', 'after');
    const undone = steps.map((step) => point(`at undo of ${step}`, 'FAILED', first, fault(`${step}.undo`)));
    return [...forward, commit, ...undone, point('at abort', 'FAILED', first, fault('abort'))];
  });
}

export function sampleOf(kind: string): Sample {
  const sample = samples[kind];
  assert.ok(sample, `there is no sample of ${kind} in crash-samples.ts`);
  return sample;
}

export const changeOf = (kind: string, before: Shown): [method: string, body: object] => {
  const { change } = sampleOf(kind);
  const patches = all.find(({ name }) => name === kind)?.verbs.includes('change');
  return patches ? ['PATCH', change] : ['PUT', { properties: { ...before.properties, ...change } }];
};
