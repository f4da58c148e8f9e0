// The rules for a catalogue file, and the errors for files that break them.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Json, Values } from '../../base/json.ts';
import { checkCatalogue } from './catalogue-check.ts';

const small: Values = {
  regions: ['de-lab'],
  defaultRegion: 'de-lab',
  locations: [
    { id: 'de/lab', name: 'lab' },
    { id: 'de/lab/2', name: 'lab2', metroRegion: 'de/lab', ipBlocks: false },
    { id: 'us/lab', name: 'far' },
  ],
  features: ['ssd'],
  cpuFamilies: [
    { cpuFamily: 'AMD_EPYC', vendor: 'AuthenticAMD', maxCores: 8, maxRam: 4096 },
    { cpuFamily: 'INTEL_XEON', vendor: 'GenuineIntel', maxCores: 4, maxRam: 2048, locations: ['de/lab/2'] },
  ],
  images: [
    { name: 'One', imageType: 'HDD', aliases: ['one:latest'], licenceType: 'LINUX', size: 1 },
    { name: 'One.iso', imageType: 'CDROM', aliases: ['one:latest_iso'], licenceType: 'LINUX', size: 0.5 },
    { name: 'Far', imageType: 'HDD', licenceType: 'OTHER', size: 2, locations: ['us/lab'] },
  ],
  templates: [{ name: 'Cube S', cores: 1, ram: 1024, storageSize: 10, category: 'Cubes' }],
};
const cube = { name: 'Cube S', cores: 2, ram: 2048, storageSize: 20, category: 'Cubes' };

// Paths in the file with the value to put there; undefined: removed.
type Changes = Record<string, Json | undefined>;

function saidOf(changes: Changes): string[] {
  const draft = structuredClone(small);
  for (const [place, value] of Object.entries(changes)) {
    const names = place.replaceAll('[', '.').replaceAll(']', '').split('.');
    const last = names.pop() as string;
    const target = names.reduce((at, name) => at[name] as Values, draft);
    if (value === undefined) delete target[last];
    else target[last] = value;
  }
  return checkCatalogue(draft).problems;
}

const cases: [string, Changes, string][] = [
  ['an unknown key', { 'images[1].colour': 'red' }, 'images[1].colour: Attribute is unknown'],
  ['an unknown part', { disks: [] }, 'disks: Attribute is unknown'],
  ['a missing part', { templates: undefined }, 'templates: Attribute is required'],
  ['a part of another type', { images: {} }, 'images: Expected a list, got an object'],
  [
    'an alias that is not a string',
    { 'images[0].aliases[0]': 7 },
    'images[0].aliases[0]: Expected a string, got a number',
  ],
  [
    'an alias of another form',
    { 'images[0].aliases[0]': 'One' },
    "images[0].aliases[0]: Attribute value 'One' not allowed. Expected <distribution>:<version>",
  ],
  [
    'a value that is not in the list',
    { 'images[0].imageType': 'TAPE' },
    "images[0].imageType: Attribute value 'TAPE' not allowed. Expected one of [HDD, CDROM]",
  ],
  ['no default', { defaultRegion: undefined }, 'defaultRegion: Attribute is required'],
  ['an unknown default region', { defaultRegion: 'us-lab' }, "defaultRegion: 'us-lab' is none of the regions"],
  ['a region without a location', { 'regions[1]': 'xx-yyy' }, 'regions[1]: location xx/yyy does not exist'],
  ['a region twice', { 'regions[1]': 'de-lab' }, "regions[1]: 'de-lab' is already in regions[0]"],
  [
    'a location twice',
    { 'locations[3]': { id: 'us/lab', name: 'again' } },
    "locations[3].id: 'us/lab' is already in locations[2].id",
  ],
  [
    'an unknown metro region',
    { 'locations[1].metroRegion': 'de/x' },
    'locations[1].metroRegion: location de/x does not exist',
  ],
  [
    'a part of a part',
    { 'locations[3]': { id: 'de/lab/3', name: 'lab3', metroRegion: 'de/lab/2' } },
    'locations[3].metroRegion: de/lab/2 is itself a part of another location',
  ],
  [
    'a location without addresses',
    { 'locations[0].ipBlocks': false },
    'locations[0].ipBlocks: only a part of another location can leave addresses to that one',
  ],
  [
    'a location without a CPU',
    { 'cpuFamilies[0].locations': ['de/lab'] },
    'locations[2]: no CPU family is offered in us/lab',
  ],
  [
    'an unknown default CPU family',
    { 'locations[0].defaultCpuFamily': 'INTEL_XEON' },
    "locations[0].defaultCpuFamily: 'INTEL_XEON' is not offered in de/lab",
  ],
  [
    'an id for an image in several locations',
    { 'images[0].id': 'aa97f2f4-ca28-11ec-925c-46570854dba1' },
    'images[0].id: an image with its own id must be in exactly one location',
  ],
  [
    'a CPU family twice',
    { 'cpuFamilies[1].cpuFamily': 'AMD_EPYC' },
    "cpuFamilies[1].cpuFamily: 'AMD_EPYC' is already in cpuFamilies[0].cpuFamily",
  ],
  [
    'an unknown location',
    { 'images[2].locations[1]': 'xx/yyy' },
    'images[2].locations[1]: location xx/yyy does not exist',
  ],
  [
    'an image in a part of a location',
    { 'images[2].locations[0]': 'de/lab/2' },
    'images[2].locations[0]: de/lab/2 has the images of de/lab. Name de/lab instead',
  ],
  [
    'an alias twice in one location',
    { 'images[2].aliases': ['one:latest'] },
    "images[2].aliases[0]: 'one:latest' already names images[0] in us/lab",
  ],
  [
    'a name, and so an id, twice in one location',
    { 'images[2].name': 'One' },
    "images[2].name: 'One' already names images[0] in us/lab",
  ],
  [
    'an alias of a CD-ROM for a hard disk',
    { 'images[0].aliases': ['other:latest_iso'] },
    'images[0].aliases[0]: an alias must end with _iso if, and only if, the image is a CDROM',
  ],
  [
    'a template that is found by the name of another',
    { 'templates[1]': { ...cube, name: 'cube S2' } },
    "templates[1].name: 'cube S2' also matches a search for 'Cube S' (templates[0])",
  ],
  [
    'a template of the same name',
    { 'templates[1]': cube },
    "templates[1].name: 'Cube S' also matches a search for 'Cube S' (templates[0])",
  ],
  [
    'a template with an invalid id',
    { 'templates[0].id': 'x' },
    "templates[0].id: Attribute value 'x' not allowed. Expected a UUID in lower case",
  ],
];

suite('a catalogue is refused for', () => {
  test('nothing if it is valid', () => assert.deepEqual(saidOf({}), []));

  for (const [what, changes, said] of cases) test(what, () => assert.deepEqual(saidOf(changes), [said]));

  test('all problems at once, but not for consequences of other problems', () => {
    const said = saidOf({
      'locations[0].name': 7, // references to de/lab are still valid
      'images[0].size': 'large',
      'images[2].aliases': ['far:latest_iso'],
      defaultRegion: 'none',
    });
    assert.deepEqual(said, [
      'locations[0].name: Expected a string, got a number',
      'images[0].size: Expected a number, got a string',
      "defaultRegion: 'none' is none of the regions",
      'images[2].aliases[0]: an alias must end with _iso if, and only if, the image is a CDROM',
    ]);
  });

  test('inconsistent references, also if the same entry has other problems', () => {
    const said = saidOf({
      'locations[3]': { id: 'us/lab', name: 7 },
      'cpuFamilies[0].maxCores': 0,
      'cpuFamilies[0].locations': ['nope'],
      'images[0].size': 'large',
      'images[0].locations': ['nowhere'],
      'templates[1]': { ...cube, cores: 'two' },
    });
    for (const one of [
      "locations[3].id: 'us/lab' is already in locations[2].id",
      'cpuFamilies[0].locations[0]: location nope does not exist',
      'images[0].locations[0]: location nowhere does not exist',
      "templates[1].name: 'Cube S' also matches a search for 'Cube S' (templates[0])",
    ])
      assert.ok(said.includes(one), `${one} is not among ${said.join('\n')}`);
  });

  test('not being a catalogue at all', () => {
    for (const sent of [null, [], 'x', 1, true])
      assert.deepEqual(checkCatalogue(sent).problems, ['An object is expected']);
    assert.equal(checkCatalogue({}).problems.length, 7);
    for (const part of Object.keys(small))
      for (const value of [null, 1, {}, [null], [[]], [{}], [{ id: {}, name: [], locations: 1 }]])
        assert.notDeepEqual(saidOf({ [part]: value }), [], `${part} ${JSON.stringify(value)}`);
    assert.ok(saidOf({ images: Array.from({ length: 200 }, () => ({ wrong: true })) }).length >= 100);
  });
});
