// The catalogue of a region: the built-in one, and one that replaces it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import {
  blockLocationIds,
  catalogue,
  cpuFamiliesAt,
  imageAliasesAt,
  imageAt,
  imageById,
  loadCatalogue,
  locationIds,
  offered,
  offeredAt,
  templateById,
} from './catalogue.ts';

const root = mkdtempSync(join(tmpdir(), 'cumulet-catalogue-'));
after(() => rmSync(root, { recursive: true, force: true }));

const small = {
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
    {
      name: 'Odd',
      imageType: 'HDD',
      aliases: ['odd:latest'],
      licenceType: 'OTHER',
      size: 2,
      hotPlug: ['discScsi'],
      hotUnplug: [],
      exposeSerial: true,
      requireLegacyBios: false,
      locations: ['us/lab'],
    },
  ],
  templates: [],
};

suite('a catalogue is loaded', () => {
  after(() => loadCatalogue());
  const load = (content: string | object): void => {
    const file = join(root, 'c.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    loadCatalogue(file);
  };

  test('in place of the built-in one, which returns without a file', () => {
    load(small);
    assert.deepEqual(
      [locationIds(), blockLocationIds()],
      [
        ['de/lab', 'de/lab/2', 'us/lab'],
        ['de/lab', 'us/lab'],
      ],
    );
    assert.deepEqual(catalogue.regions, ['de-lab']);
    assert.equal(offered.cpuArchitecture.length, 2);
    loadCatalogue();
    assert.equal(locationIds().length, 11);
    assert.equal(offered.cpuArchitecture.length, 6);
  });

  test('once: later changes of its file have no effect on this process', () => {
    load(small);
    writeFileSync(join(root, 'c.json'), 'broken');
    loadCatalogue(join(root, 'c.json'));
    assert.deepEqual(catalogue.regions, ['de-lab']);
  });

  test('with the offers of each location, as the same objects each time', () => {
    load(small);
    const families = (location: string): string[] => cpuFamiliesAt(location).map(({ cpuFamily }) => cpuFamily);
    assert.deepEqual(families('de/lab'), ['AMD_EPYC']);
    assert.deepEqual(families('de/lab/2'), ['AMD_EPYC', 'INTEL_XEON']);
    assert.deepEqual(families('no/longer'), ['AMD_EPYC', 'INTEL_XEON']);
    assert.equal(offeredAt('de/lab').cpuArchitecture, offeredAt('de/lab').cpuArchitecture);
    const [first] = cpuFamiliesAt('de/lab');
    assert.deepEqual(first, {
      cpuFamily: 'AMD_EPYC',
      vendor: 'AuthenticAMD',
      maxCores: 8,
      maxRam: 4096,
      enabledFeatures: [],
    });
  });

  test('with the default family of a location first', () => {
    const [lab, part, far] = small.locations;
    loadCatalogue(); // a file is read once
    load({ ...small, locations: [lab, { ...part, defaultCpuFamily: 'INTEL_XEON' }, far] });
    const families = cpuFamiliesAt('de/lab/2').map(({ cpuFamily }) => cpuFamily);
    assert.deepEqual(families, ['INTEL_XEON', 'AMD_EPYC']);
    loadCatalogue();
  });

  test('and an image is found by id or alias in its location, and in parts of that location', () => {
    load(small);
    const image = imageAt('de/lab', 'one:latest');
    assert.ok(image);
    assert.deepEqual([image.name, image.location, image.cloudInit], ['One', 'de/lab', 'V1']);
    assert.equal(imageAt('de/lab/2', 'one:latest'), image);
    assert.equal(imageAt('de/lab/2', image.id), image);
    assert.equal(imageById(image.id), image);
    assert.equal(imageAt('us/lab', image.id), undefined, 'it is elsewhere');
    assert.notEqual(imageAt('us/lab', 'one:latest')?.id, image.id, 'each location has its own');
    assert.equal(imageAt('de/lab', 'none:latest'), undefined);
    assert.equal(imageAt('xx/yyy', 'one:latest'), undefined);
    assert.equal(imageById('one:latest'), undefined);
    assert.equal(imageAt('de/lab', 'one:latest_iso')?.cloudInit, 'NONE');
    assert.deepEqual(imageAliasesAt('de/lab/2'), ['one:latest', 'one:latest_iso']);
  });

  test('with hot-plug flags from its lists, or the default ones', () => {
    load(small);
    const image = imageAt('us/lab', 'odd:latest');
    assert.ok(image);
    assert.deepEqual(
      [image.cpuHotPlug, image.nicHotUnplug, image.discScsiHotPlug, image.exposeSerial, image.requireLegacyBios],
      [false, false, true, true, false],
    );
    const usual = imageAt('de/lab', 'one:latest_iso');
    assert.ok(usual);
    assert.equal(usual.requireLegacyBios, false, 'as Linux does not');
    const { cpuHotPlug, cpuHotUnplug, ramHotPlug, nicHotUnplug, discVirtioHotUnplug, discScsiHotPlug } = usual;
    assert.deepEqual(
      [cpuHotPlug, cpuHotUnplug, ramHotPlug, nicHotUnplug, discVirtioHotUnplug, discScsiHotPlug],
      [true, false, true, true, true, false],
    );
  });

  test('unless it is invalid: then the previous one stays, and each problem is reported', () => {
    load(small);
    const file = join(root, 'bad.json');
    const refused = (content: string | object): string[] => {
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
      try {
        loadCatalogue(file);
      } catch (error) {
        assert.ok(error instanceof Fault);
        return error.problems.map(({ message }) => message);
      }
      return assert.fail('it was accepted');
    };
    assert.deepEqual(refused({ ...small, features: [1], images: {} }), [
      `The catalogue ${file} can't be used: features[0]: Expected a string, got a number`,
      'images: Expected a list, got an object',
    ]);
    assert.match(refused('{\n "regions": x}').join(), /it is not valid JSON at line 2, column 13\.$/);
    assert.match(refused('{"regions": [').join(), /it is not valid JSON at line 1, column 14\.$/);
    assert.match(refused('{"a":1,"a":2}').join(), /can't be used: it has the key "a" twice/);
    assert.throws(() => loadCatalogue(join(root, 'none.json')), /none\.json can't be read: there is no such file\.$/);
    assert.deepEqual(catalogue.regions, ['de-lab']);
  });
});

suite('the built-in catalogue', () => {
  test('[CORE-18] has the same ids on every machine, derived by a public rule', () => {
    loadCatalogue();
    // Any UUID library creates these as version 5 in the URL namespace.
    const image = imageAt('de/fra', 'ubuntu:24.04');
    assert.equal(image?.name, 'Ubuntu-24.04-LTS-server-2026-01-01');
    assert.equal(image?.id, '125e9d74-7ff6-521b-9a4a-49fca4bc9349'); // urn:cumulet:image:de/fra:Ubuntu-24.04-LTS-…
    assert.equal(templateById('788fc8e3-9785-5ce1-b5fb-0b75047e54c0')?.name, 'Basic Cube XS'); // urn:cumulet:template:…
    assert.equal(new Set(catalogue.images.map(({ id }) => id)).size, catalogue.images.length);
  });
});
