// The offers of the region that clients look up: locations, CPU families, images and templates; and a catalogue of
// one's own in place of the built-in one.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { assertRefused } from '../harness/landscape.ts';
import { addPerson, core } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { assertPayload } from '../sweep/api.ts';

const root = mkdtempSync(join(tmpdir(), 'cumulet-catalogue-'));
after(() => rmSync(root, { recursive: true, force: true }));
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const namesOf = (items: ResourceBody[]): unknown[] => items.map(({ properties }) => properties.name);
const aliasesOf = ({ properties }: ResourceBody): string[] => properties.imageAliases as string[];

suite('the built-in catalogue', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());
  const get = async (path: string): Promise<ResourceBody> => {
    const { status, body } = await region.call('GET', core + path);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    return body;
  };
  const list = async (path: string): Promise<ResourceBody[]> => (await get(path)).items;

  test('[CORE-08] every location has the six CPU families, with their bounds', async () => {
    for (const { id, properties } of await list('/locations?depth=1')) {
      const families = properties.cpuArchitecture as Record<string, unknown>[];
      assert.deepEqual(
        families.map(({ cpuFamily }) => cpuFamily).sort(),
        'AMD_EPYC AMD_TURIN INTEL_ICELAKE INTEL_SIERRAFOREST INTEL_SKYLAKE INTEL_XEON'.split(' '),
        id,
      );
      for (const { cpuFamily, maxCores, maxRam, vendor } of families) {
        assert.deepEqual([maxCores, maxRam], [62, 235_520]);
        assert.equal(vendor, String(cpuFamily).startsWith('AMD') ? 'AuthenticAMD' : 'GenuineIntel');
      }
    }
  });

  test('[CORE-18] there are disks with cloud-init and CD-ROMs without of each distribution, in each location', async () => {
    const images = await list('/images?depth=1');
    const locations = await list('/locations?depth=1');
    for (const { id, properties } of locations.filter((one) => one.properties.metroRegion === one.id)) {
      const here = images.filter((one) => one.properties.location === id);
      for (const distribution of ['almalinux', 'debian', 'rocky', 'ubuntu'])
        for (const [type, cloudInit, alias] of [
          ['HDD', 'V1', `${distribution}:latest`],
          ['CDROM', 'NONE', `${distribution}:latest_iso`],
        ] as const) {
          const found = here.filter((one) => aliasesOf(one).includes(alias));
          assert.equal(found.length, 1, `${alias} in ${id}`);
          const [image] = found as [ResourceBody];
          assert.deepEqual([image.properties.imageType, image.properties.cloudInit], [type, cloudInit]);
          assert.equal(image.properties.licenceType, 'LINUX');
        }
      const aliases = here.flatMap(aliasesOf);
      assert.equal(new Set(aliases).size, aliases.length, `an alias names two images in ${id}`);
      assert.deepEqual(new Set(properties.imageAliases as string[]), new Set(aliases));
    }
    assert.equal(new Set(images.map(({ id }) => id)).size, images.length);
  });

  test('[CORE-18] the CD-ROMs whose ids are built into clients exist', async () => {
    for (const [id, location] of [
      ['aa97f2f4-ca28-11ec-925c-46570854dba1', 'de/fra'],
      ['0e4d57f9-cd78-11e9-b88c-525400f64d8d', 'de/txl'],
    ]) {
      const { properties } = await get(`/images/${id}`);
      assert.deepEqual([properties.imageType, properties.location], ['CDROM', location]);
    }
  });

  test('[CORE-18] an image has all properties that clients read, and a part of a location has no own images', async () => {
    const [found] = await list('/images?depth=1&filter.name=Ubuntu-22.04-live-server-amd64.iso&filter.location=es/vit');
    assert.ok(found);
    assert.match(found.id, uuid);
    const image = await get(`/images/${found.id}`);
    assert.deepEqual(image, found);
    assert.deepEqual([image.type, image.href], ['image', `${region.url}${core}/images/${image.id}`]);
    const { state, createdBy, etag } = image.metadata;
    assert.deepEqual([state, createdBy], ['AVAILABLE', 'System']);
    assert.match(String(etag), /^[0-9a-f]{32}$/);
    const { size, description, ...rest } = image.properties;
    assert.ok(typeof size === 'number' && size > 0 && size % 1 !== 0);
    assert.equal(description, null);
    assert.deepEqual(rest, {
      name: 'Ubuntu-22.04-live-server-amd64.iso',
      location: 'es/vit',
      imageType: 'CDROM',
      imageAliases: ['ubuntu:22.04_iso'],
      cloudInit: 'NONE',
      licenceType: 'LINUX',
      applicationType: 'UNKNOWN',
      requiredFeatures: [],
      public: true,
      cpuHotPlug: true,
      cpuHotUnplug: false,
      ramHotPlug: true,
      ramHotUnplug: false,
      nicHotPlug: true,
      nicHotUnplug: true,
      discVirtioHotPlug: true,
      discVirtioHotUnplug: true,
      discScsiHotPlug: false,
      discScsiHotUnplug: false,
      exposeSerial: false,
      requireLegacyBios: false,
    });
    assert.equal((await list('/images?depth=1&filter.location=de/fra/2')).length, 0);
    const [part, whole] = [await get('/locations/de/fra%2F2'), await get('/locations/de/fra')];
    assert.deepEqual([part.properties.metroRegion, aliasesOf(part)], ['de/fra', aliasesOf(whole)]);
    assert.notEqual(part.metadata.etag, whole.metadata.etag);
  });

  test('[CORE-18] images are found by type, cloudInit, alias and location, in any case and by a part', async () => {
    const iso = await list(
      '/images?depth=1&filter.imageAliases=ubuntu:latest&filter.imageType=cdrom&filter.location=de/txl',
    );
    assert.deepEqual(iso.map(aliasesOf), [['ubuntu:latest_iso', 'ubuntu:24.04_iso']]);
    const disk = await list(
      '/images?depth=1&filter.imageType=HDD&filter.cloudInit=v1&filter.imageAliases=DEBIAN:latest',
    );
    assert.equal(disk.length, 10, 'one in each location');
    assert.ok(disk.every((one) => aliasesOf(one).includes('debian:latest')));
    const either = await list('/images?depth=1&filter.location=us/las&filter.imageAliases=rocky:9,ubuntu:20.04');
    assert.deepEqual(namesOf(either).sort(), [
      'Rocky-9-server-2026-01-01',
      'Rocky-9-x86_64-boot.iso',
      'Ubuntu-20.04-LTS-server-2026-01-01',
    ]);
    const all = await list('/images');
    assert.equal(
      (await list('/images?filter.state=available&filter.createdBy=system&filter.public=true')).length,
      all.length,
    );
    assert.equal((await list('/images?filter.state=busy')).length, 0);
    assert.equal((await list('/images?filter.cores=2')).length, all.length, 'what only others have');
    assertPayload(await region.call('GET', `${core}/images?filter.nonsense=x`), 422, 'filter.nonsense');
  });

  test('[CORE-06] all images are listed at once, as references or complete, in the requested order', async () => {
    const whole = await get('/images?limit=1&offset=5');
    assert.deepEqual(Object.keys(whole), ['id', 'type', 'href', 'items'], 'images are not paged');
    assert.ok(whole.items.length > 200);
    assert.ok(whole.items.every((one) => one.properties === undefined && one.href.endsWith(`/images/${one.id}`)));
    const names = namesOf(await list('/images?depth=1&orderBy=name')) as string[];
    assert.deepEqual(names, names.toSorted());
    assert.equal((await list('/images?maxResults=3')).length, 3);
    assert.equal((await list('/images?maxResults=0')).length, 0);
    // Counted before the filters choose, as on the platform.
    assert.equal((await list('/images?maxResults=1&filter.location=us/mci')).length, 0);
    for (const query of ['maxResults=x', 'maxResults=-1', 'depth=11'])
      assertPayload(await region.call('GET', `${core}/images?${query}`), 422, query);
  });

  test("[CORE-18] a public image can't be changed or deleted, and an unknown one is missing", async () => {
    const [image] = await list('/images');
    assert.ok(image);
    const { token } = await addPerson(region);
    const before = await get(`/images/${image.id}`);
    for (const [method, body] of [
      ['PUT', { properties: { licenceType: 'LINUX' } }],
      ['PATCH', { name: 'mine' }],
      ['DELETE', undefined],
    ] as const)
      for (const options of [{}, { token }]) {
        assertPayload(await region.call(method, `${core}/images/${image.id}`, body, options), 403, method);
        for (const id of ['ba1f7e5c-0000-4000-8000-000000000000', 'ubuntu:latest', '__proto__'])
          assertPayload(await region.call(method, `${core}/images/${id}`, body, options), 404, `${method} ${id}`);
      }
    assert.deepEqual(await get(`/images/${image.id}`), before);
    assertPayload(await region.call('GET', `${core}/images/ba1f7e5c-0000-4000-8000-000000000000`), 404, 'GET');
    assertPayload(await region.call('POST', `${core}/images`, {}), 405, 'POST');
    assert.equal((await region.call('GET', `${core}/images/${image.id}`, undefined, { token })).status, 200);
  });

  test('[CORE-10] a Basic Cube XS is 1 vCPU, 2 GB and 60 GB, and the others follow, GPU servers among them', async () => {
    const templates = await list('/templates?depth=1');
    const sizes = Object.fromEntries(
      templates.map(({ properties: { name, cores, ram, storageSize } }) => [name, [cores, ram, storageSize]]),
    );
    assert.deepEqual(sizes, {
      'Basic Cube XS': [1, 2048, 60],
      'Basic Cube S': [2, 4096, 120],
      'Basic Cube M': [4, 8192, 240],
      'Basic Cube L': [8, 16_384, 480],
      'Basic Cube XL': [16, 32_768, 960],
      'Memory Cube XS': [1, 4096, 60],
      'Memory Cube S': [2, 8192, 120],
      'Memory Cube M': [4, 16_384, 240],
      'Memory Cube L': [8, 32_768, 480],
      'Memory Cube XL': [16, 65_536, 960],
      'GPU S': [15, 273_408, 1024],
      'GPU M': [30, 547_840, 1024],
      'GPU L': [60, 1_095_680, 1024],
      'GPU XL': [127, 2_190_336, 1024],
      'CUBES XS': [1, 1024, 30],
      'CUBES S': [1, 2048, 50],
      'CUBES M': [2, 4096, 80],
      'CUBES L': [4, 8192, 160],
      'CUBES XL': [6, 16_384, 320],
      'CUBES XXL': [8, 32_768, 640],
      'CUBES 3XL': [12, 49_152, 960],
      'CUBES 4XL': [16, 65_536, 1280],
    });
    for (const { id, type, metadata, properties } of templates) {
      assert.match(id, uuid);
      assert.deepEqual([type, metadata.state, metadata.createdBy], ['template', 'AVAILABLE', '[UNKNOWN]']);
      assert.equal(properties.storageType, 'SSD Premium');
    }
  });

  test('[CORE-10] each template is unique in the values that clients search for', async () => {
    const templates = (await list('/templates?depth=1')).map(({ properties }) => properties);
    const only = (name: string, ...wanted: [string, number][]): void =>
      assert.deepEqual(
        templates.filter((one) => wanted.every(([property, value]) => one[property] === value)).map((one) => one.name),
        [name],
      );
    only('Basic Cube XL', ['cores', 16], ['ram', 32_768]);
    only('Memory Cube S', ['ram', 8192], ['storageSize', 120]);
    only('Basic Cube M', ['ram', 8192], ['storageSize', 240]);
    for (const { name } of templates)
      assert.deepEqual(namesOf(await list(`/templates?depth=1&filter.name=${encodeURIComponent(String(name))}`)), [
        name,
      ]);
    const [basic] = await list('/templates?depth=1&filter.name=basic+cube+xs');
    assert.equal(basic?.properties.category, 'Basic Templates');
    assert.deepEqual(await get(`/templates/${basic?.id}`), basic);
    assert.equal((await get('/templates/15c6dd2f-02d2-4987-b439-9a58dd59ecc3')).properties.name, 'CUBES XS');
    assertPayload(await region.call('GET', `${core}/templates/ba1f7e5c-0000-4000-8000-000000000000`), 404, 'GET');
  });

  test('[CORE-18] ids are the same in another region and after a restart', async () => {
    const idsOf = async (from: Region): Promise<string[]> => {
      const found = [
        ...(await from.call('GET', `${core}/images`)).body.items,
        ...(await from.call('GET', `${core}/templates`)).body.items,
      ];
      return found.map(({ id }) => id);
    };
    await using other = await startRegion();
    const ids = await idsOf(other);
    assert.deepEqual(await idsOf(region), ids);
    await other.restart();
    assert.deepEqual(await idsOf(other), ids);
  });
});

suite('a catalogue of one’s own', () => {
  const [, example = ''] =
    /```json\n(.*?)```/s.exec(readFileSync(join(import.meta.dirname, '../../docs/catalogue.md'), 'utf8')) ?? [];
  const written = (name: string, content: string): string => {
    const file = join(root, name);
    writeFileSync(file, content);
    return file;
  };
  const offer = async (region: Region): Promise<unknown[]> => {
    const all = async (path: string): Promise<ResourceBody[]> =>
      (await region.call('GET', `${core}${path}?depth=1`)).body.items;
    const locations = await all('/locations');
    const families = locations.map(({ properties }) =>
      (properties.cpuArchitecture as ResourceBody[]).map((one) => one.cpuFamily),
    );
    return [locations.map(({ id }) => id), families, namesOf(await all('/images')), namesOf(await all('/templates'))];
  };
  const expected = [
    ['de/lab', 'de/lab/2'],
    [['AMD_EPYC'], ['AMD_EPYC', 'INTEL_XEON']],
    ['Alpine-3.22-server'],
    ['Tiny Cube'],
  ];

  test('the one in the documentation replaces the built-in one everywhere', async () => {
    await using region = await startRegion({ args: ['--catalogue', written('example.json', example)] });
    assert.deepEqual(await offer(region), expected);
    assert.deepEqual(aliasesOf((await region.call('GET', `${core}/locations/de/lab%2F2`)).body), [
      'alpine:latest',
      'alpine:3.22',
    ]);
    const place = (location: string) => ({ properties: { name: 'x', location, size: 1 } });
    const dc = { properties: { name: 'x', location: 'de/lab/2' } };
    const made = await createDone(region, `${core}/datacenters`, dc);
    assert.equal(made.properties.location, 'de/lab/2');
    const servers = `${core}/datacenters/${made.id}/servers`;
    assertRefused(
      await region.call('POST', servers, { properties: { cores: 9, ram: 65_536 } }),
      '[(root).properties.cores] A CPU family in de/lab/2 has at most 8 cores',
      '[(root).properties.ram] A CPU family in de/lab/2 has at most 32768 MB',
    );
    assertRefused(
      await region.call('POST', servers, { properties: { cores: 5, ram: 16_384, cpuFamily: 'INTEL_XEON' } }),
      '[(root).properties.cores] INTEL_XEON has at most 4 cores',
      '[(root).properties.ram] INTEL_XEON has at most 8192 MB',
    );
    assert.equal((await createDone(region, `${core}/ipblocks`, place('de/lab'))).properties.size, 1);
    for (const location of ['de/txl', 'de/lab/2'])
      assertPayload(await region.call('POST', `${core}/ipblocks`, place(location)), 422, location);
  });

  test('is named by the environment or by the config file too', async () => {
    const file = written('named.json', example);
    await using one = await startRegion({ env: { CUMULET_CATALOGUE: file } });
    assert.deepEqual(await offer(one), expected);
    const config = written('config.json', JSON.stringify({ catalogue: file }));
    const env = { CUMULET_CATALOGUE: join(root, 'nowhere.json') };
    await using two = await startRegion({ args: ['--config', config], env });
    assert.deepEqual(await offer(two), expected);
  });

  test('is refused with all its problems, each with its place, and nothing starts', async () => {
    const bad = JSON.parse(example) as { images: object[]; defaultRegion?: string };
    bad.images.push({ ...bad.images[0], aliases: ['alpine:latest', 7], colour: 'red' });
    bad.images.push({ ...bad.images[0], name: 'Other', aliases: ['alpine:latest'], locations: ['xx/yyy', 'de/lab'] });
    delete bad.defaultRegion;
    const file = written('bad.json', JSON.stringify(bad));
    const up = (...args: string[]) => cumulet(['up', '--json', '--port', '0', '--data', join(root, 'data'), ...args]);
    const { code, stdout, stderr } = await up('--catalogue', file);
    assert.deepEqual([code, stdout], [2, '']);
    const said = [
      'defaultRegion: Attribute is required',
      'images[1].colour: Attribute is unknown',
      'images[1].aliases[1]: Expected a string, got a number',
      'images[2].locations[0]: location xx/yyy does not exist',
      "images[2].aliases[0]: 'alpine:latest' already names images[0] in de/lab",
    ];
    assert.ok(stderr.startsWith(`cumulet: The catalogue ${file} can't be used: `), stderr);
    for (const one of said) assert.ok(stderr.includes(one), `${one} is not in ${stderr}`);
    const none = await up('--catalogue', join(root, 'none.json'));
    assert.deepEqual(
      [none.code, none.stderr],
      [2, `cumulet: The catalogue ${join(root, 'none.json')} can't be read: there is no such file.\n`],
    );
    const half = await up('--catalogue', written('half.json', '{"regions": ['));
    assert.equal(half.code, 2);
    assert.match(
      half.stderr,
      /^cumulet: The catalogue .*half\.json can't be used: it is not valid JSON at line 1, column 14\.\n$/,
    );
    const help = await cumulet(['up', '--help']);
    assert.match(help.stdout, /--catalogue FILE/);
  });
});
