// The commands against a running region, and what they say when something is wrong.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { cumulet, type Ended } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { openShell } from '../harness/shell.ts';
import { onPostgres } from '../harness/states.ts';

let region: Region;
const shell = openShell();
const empty = mkdtempSync(join(tmpdir(), 'cumulet-empty-'));
before(async () => {
  region = await startRegion();
});
after(async () => {
  await region.stop();
  shell[Symbol.dispose]();
  rmSync(empty, { recursive: true, force: true });
});

const ask = (...args: string[]): Promise<Ended> => cumulet([...args, '--data', region.data]);

async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await ask(...args);
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  return stdout;
}
const jsonOf = async <T>(...args: string[]): Promise<T> => JSON.parse(await good(...args, '--json')) as T;

// One line, and the exit code that says it is the user's to put right.
async function refused(args: string[], message: RegExp): Promise<void> {
  const { code, stdout, stderr } = await cumulet(args);
  assert.match(stderr, message);
  assert.match(stderr, /^cumulet: [^\n]+\n$/);
  assert.equal(stdout, '');
  assert.equal(code, 2);
}

const works = async (token: string): Promise<number> =>
  (await region.call('GET', '/cloudapi/v6/datacenters', undefined, { token })).status;

suite('help', () => {
  const commands = [
    ...['up', 'down', 'status', 'env', 'ca', 'version', 'user add', 'user reset-2fa', 'contract add', 'contract list'],
    ...['token generate', 'token list', 'token delete', 'lab clock', 'lab faults', 'lab traffic', 'lab load'],
    ...['logs', 'reset', 'completion'],
    ...['state copy', 'state backup', 'state restore', 'savepoint create', 'savepoint remove', 'models pull'],
  ];

  test('of the whole names every command', async () => {
    const { code, stdout } = await cumulet(['--help']);
    assert.equal(code, 0);
    for (const name of commands) assert.match(stdout, new RegExp(`^ {2}${name} {2,}\\S`, 'm'));
    assert.equal((await cumulet([])).stdout, stdout);
    assert.equal((await cumulet(['help'])).stdout, stdout);
  });

  test('of each command has its usage, its options and an example', async () => {
    for (const name of commands) {
      const { code, stdout, stderr } = await cumulet([...name.split(' '), '--help']);
      assert.equal(code, 0, stderr);
      assert.match(stdout, new RegExp(`^Usage {2}cumulet ${name}.* \\[options\\]\n`));
      if (name !== 'version' && name !== 'completion') assert.match(stdout, /^ {2}--data DIR/m);
      assert.match(stdout, new RegExp(`\nExamples?\n {2}# .+\n.*cumulet ${name}`));
      assert.ok(
        stdout.split('\n').every((line) => line.length <= 120),
        name,
      );
    }
    assert.match((await cumulet(['help', 'token', 'list'])).stdout, /^Usage {2}cumulet token list/);
    assert.match((await cumulet(['token', '--help'])).stdout, /token delete/);
  });
});

test('the checks of a checkout have help too', async () => {
  const command = [process.execPath, join(import.meta.dirname, '../run.ts')];
  for (const option of ['--help', '-h']) {
    const { code, stdout, stderr } = await cumulet([option], { command });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Usage {2}cumulet test \[PATTERN …\].*\nExamples\n/s);
  }
  assert.equal((await cumulet(['--bogus'], { command })).code, 2);
});

suite('what is wrong is one line and exit 2', { concurrency: 4 }, () => {
  const cases: [string, RegExp][] = [
    ['upp', /Unknown command upp\. Did you mean up\?/],
    ['frobnicate', /Unknown command frobnicate\. See: cumulet --help/],
    ['token', /token needs a subcommand: generate, list, delete/],
    ['token genrate', /token has no subcommand 'genrate'.*Did you mean generate\?/],
    ['up --prot 1', /no option --prot\. Did you mean --port\?/],
    ['up --port', /--port needs a value/],
    ['up --port 70000', /--port expects a port \(0 to 65535\), not '70000'/],
    ['up --pace soon', /--pace expects/],
    ['up --config /nowhere.json', /The config file \/nowhere\.json does not exist\./],
    ['status extra', /'extra' is not expected here/],
    ['--data x status', /Put the command first/],
    ['token generate --ttl 2h', /--ttl expects 1h, 4h, 1d, 7d, 30d, 60d, 90d, 180d or 365d/],
    ['token delete', /Pass the id of a token, --expired or --all/],
    ['env --proxy --config', /Pass either --proxy or --config, not both/],
    ['lab clock --advance 10000000d', /--advance takes at most 3660 days, not '10000000d'/],
    ['lab clock --advance soon', /--advance expects a time such as 1d2h/],
    ['lab faults --plant {', /The text of --plant is not valid JSON/],
    ['lab traffic --from 1.2.3.4 --to nowhere', /--to expects ADDRESS or ADDRESS:PORT, not 'nowhere'/],
    ['lab load', /Pass the ID of a server/],
    ['lab load ID --cpu 180', /--cpu expects a percentage up to 100, not '180'/],
    ['cost estimate /nowhere.json', /\/nowhere\.json can't be read: there is no such file\.\n/],
    ['logs --last 5000', /--last takes at most 1000/],
    ['completion tcsh', /No completion for 'tcsh'. Name a shell: bash, zsh, fish/],
    ['contract add', /--owner is missing/],
    ['contract add --owner a@b.c --limit ips', /--limit expects NAME=VALUE/],
    ['user add', /--email is missing/],
    ['state backup /dev', /\/dev is a folder, not a file: name another file\.\n/],
    ['state backup -', /Pipes are not supported\. Name a file \(\.\/- for a file called -\)\.\n/],
    ['state restore -', /Pipes are not supported/],
    ['state backup /dev/null --force', /\/dev\/null is not a regular file: name another file\.\n/],
  ];
  for (const [line, message] of cases) test(line, () => refused(line.split(' '), message));

  test('a cache folder that can not be made', async () => {
    const env = { XDG_CACHE_HOME: join(import.meta.filename, 'cache') };
    const { code, stderr } = await cumulet(['models', 'pull', 'minilm', '--data', empty], { env });
    assert.match(stderr, /^cumulet: \/.* can't be used: it lies below a file\.\n$/m);
    assert.equal(code, 2);
  });

  const needsRegion = [
    'status',
    'token generate',
    'token list',
    'token delete --all',
    'contract list',
    'env',
    'lab clock',
    'lab traffic --from 203.0.113.7 --to 198.18.0.1:80',
    'lab load 0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
    'logs',
  ];
  test('where no region runs, and down says so without an error', async () => {
    for (const line of needsRegion) {
      await refused([...line.split(' '), '--data', empty], /No region runs on the data folder .*: start one with up/);
    }
    await refused(['status', '--data', join(empty, 'nowhere')], /No region runs on/);
    await refused(['ca', '--data', empty], /has no certificate authority yet/);
    const { code, stdout } = await cumulet(['down', '--data', empty]);
    assert.equal(code, 0);
    assert.match(stdout, /^No region runs on /);
  });
});

test('version shows name and version', async () => {
  assert.match((await cumulet(['version'])).stdout, /^cumulet \d+\.\d+\.\d+ \(Node v26\./);
  assert.equal((await cumulet(['--version'])).code, 0);
});

test('status shows what runs where [GEN-02]', async () => {
  interface Status {
    gateway: string;
    pid: number;
    uptimeS: number;
    contracts: number;
    operationsRunning: number;
    residentBytes: number;
    dataBytes: number;
    services: Record<string, string>;
    state: Record<string, number>;
  }
  const status = await jsonOf<Status>('status');
  assert.equal(status.gateway, region.url);
  assert.equal(status.pid, region.pid);
  assert.equal(status.services.cloudapi, `${region.url}/cloudapi/v6`);
  assert.equal(status.services.auth, `${region.url}/auth/v1`);
  assert.ok(status.residentBytes > 1e6 && status.contracts >= 1);
  assert.ok(status.dataBytes > (onPostgres ? 1e3 : 1e4), 'the state is in the folder only with SQLite');
  assert.equal(status.operationsRunning, 0);
  if (onPostgres) assert.equal(status.state.connected, 1);
  else assert.equal(status.state.synchronous, 2);
  assert.match(await good('status'), new RegExp(`Gateway +${region.url}`));
});

suite('tokens', () => {
  test('are made, bare on standard output, for the lifetimes there are [AUTH-03]', async () => {
    const token = await good('token', 'generate', '--ttl', '1h');
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    assert.equal(await works(token.trim()), 200);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, number>;
    assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 3600);
    assert.equal((await ask('token', 'generate', '--ttl', '86400')).code, 0);
    await refused(['token', 'generate', '--user', 'no@body', '--data', region.data], /User no@body does not exist/);
    await refused(
      ['token', 'generate', '--contract', '7', '--data', region.data],
      /Contract 7 does not exist\. Known contracts: /,
    );
  });

  test('are listed without their values, and deleted at once [AUTH-05] [AUTH-07]', async () => {
    const made = await jsonOf<{ id: string; token: string }>('token', 'generate');
    const listed = await good('token', 'list', '--json');
    assert.ok(listed.includes(made.id) && !listed.includes(made.token));
    assert.match(await good('token', 'list'), new RegExp(`^ID +CREATED +EXPIRES\n.*${made.id}`, 's'));
    assert.equal(await good('token', 'delete', made.id), `Deleted the token ${made.id}.\n`);
    assert.equal(await works(made.token), 401);
    await refused(['token', 'delete', made.id, '--data', region.data], /Token [-0-9a-f]+ does not exist/);
    await refused(['token', 'delete', 'mine', '--data', region.data], /'mine' is not a valid token id/);
  });

  test('are in the activity log of the contract [ACT-01]', async () => {
    const { id } = await jsonOf<{ id: string }>('token', 'generate');
    const { body } = await region.call('GET', `/activitylog/v1/contracts/${region.contract}?limit=50`);
    assert.ok(JSON.stringify(body).includes(`"id":"${id}"`));
  });
});

suite('contracts and users', () => {
  test('are added side by side, each sees its own [GEN-07]', async () => {
    const added = await jsonOf<{ contract: number; password: string }>(
      ...['contract', 'add', '--owner', 'ada@example.com', '--limit', 'reservableIps=3'],
    );
    assert.match(await good('contract', 'list'), new RegExp(`${added.contract} +ada@example\\.com +1 `));
    const basic = { email: 'ada@example.com', password: added.password };
    const { status, body } = await region.call('GET', '/cloudapi/v6/contracts', undefined, { basic });
    assert.equal(status, 200);
    const properties = (body.items[0]?.properties ?? {}) as Record<string, Record<string, number>>;
    assert.equal(properties.contractNumber, added.contract);
    assert.equal(properties.resourceLimits?.reservableIps, 3);
    await refused(
      ['contract', 'add', '--owner', 'x@y.z', '--number', String(added.contract), '--data', region.data],
      /Contract \d+ exists already/,
    );
    await refused(
      ['contract', 'add', '--owner', 'x@y.z', '--limit', 'reservableIp=1', '--data', region.data],
      /Limit reservableIp does not exist\. Did you mean reservableIps\?/,
    );
  });

  test('users get a password, from standard input if need be, and a known one joins [AUTH-09]', async () => {
    const quotedData = `--data '${region.data}'`;
    const added = await shell.run(
      `echo bobs-secret | cumulet user add --email bob@example.com --password - ${quotedData}`,
    );
    assert.equal(added.code, 0, added.stderr);
    assert.ok(!added.stdout.includes('bobs-secret'));
    const basic = { email: 'bob@example.com', password: 'bobs-secret' };
    assert.equal((await region.call('GET', '/auth/v1/tokens', undefined, { basic })).status, 200);
    assert.equal(await works((await good('token', 'generate', '--user', 'bob@example.com')).trim()), 200);

    const { contract } = await jsonOf<{ contract: number }>('contract', 'add', '--owner', 'cy@example.com');
    const place = ['--contract', String(contract)];
    assert.match(await good('user', 'add', '--email', 'bob@example.com', ...place), /already existed and keeps/);
    const other = await good('token', 'generate', '--user', 'bob@example.com', ...place);
    assert.equal(await works(other.trim()), 200);
    const add = ['user', 'add', '--data', region.data, '--email'];
    await refused(
      [...add, 'bob@example.com', '--password', 'another'],
      /Omit the password to add the existing account/,
    );
    await refused([...add, 'bob@example.com'], /is already a user of contract \d+/);
    await refused([...add, 'new@example.com', '--password', 'abc'], /A password has 5 to 255 characters/);
    await refused([...add, 'new@example.com', '--contract', '7'], /Contract 7 does not exist/);
    await refused([...add, 'nobody'], /'nobody' is not a valid e-mail address/);
  });
});

suite('the lab', () => {
  test('moves the clock, and what expires does so [AUTH-02]', async () => {
    const token = (await good('token', 'generate', '--ttl', '1h')).trim();
    const before = await jsonOf<{ now: string; offsetMs: number }>('lab', 'clock');
    const moved = await jsonOf<{ now: string; offsetMs: number }>('lab', 'clock', '--advance', '1h1m');
    assert.equal(moved.offsetMs - before.offsetMs, 3_660_000);
    assert.ok(Date.parse(moved.now) - Date.parse(before.now) >= 3_660_000);
    assert.equal(await works(token), 401);
    assert.match(await good('lab', 'clock'), /^\d{4}-.+Z \(1 h 1 min ahead/);
    assert.match(await good('token', 'delete', '--expired'), /^Deleted /);
  });

  test('plants faults and clears them', async () => {
    const plant = '{"kind":"datacenter","step":"create.*","mode":"fail","times":2,"message":"no power"}';
    assert.match(await good('lab', 'faults', '--plant', plant), /datacenter +create\.\* +fail +2 +before +no power/);
    assert.equal((await jsonOf<{ faults: unknown[] }>('lab', 'faults')).faults.length, 1);
    assert.match(await good('status'), /Faults +1 planted by the lab/);
    await refused(['lab', 'faults', '--plant', '{"kind":"x","mode":"fail"}', '--data', region.data], /step/);
    assert.equal(await good('lab', 'faults', '--clear'), 'No faults are planted.\n');
    assert.doesNotMatch(await good('status'), /planted/);
  });

  test('is refused where it is off', async () => {
    await using other = await startRegion({ args: ['--no-lab'] });
    await refused(['lab', 'clock', '--advance', '1h', '--data', other.data], /The lab of this region is off/);
    await refused(['lab', 'faults', '--clear', '--data', other.data], /The lab of this region is off/);
    assert.equal((await other.call('GET', '/lab/clock')).status, 404);
  });
});
