// Secrets are planted wherever a client can put one, then everything that was kept is searched: every file of the data
// folder (before and after a checkpoint), the logs, the requests, the activity log and the answers of refused calls.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { tables } from '../../src/testing/black-box/rows.ts';
import { createSeal, createSigner } from '../../src/testing/black-box/state.ts';
import { authorityFor, leafOf, letsEncrypt, service } from '../certificates/certificates.ts';
import { addGroup, core, tokenOf } from '../harness/people.ts';
import { addPipeline, pipelines } from '../harness/pipelines.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';
import { filesBelow, leaksBelow, Secrets } from '../harness/secrets-search.ts';
import { onPostgres, openRows } from '../harness/states.ts';
import { expect } from '../sweep/api.ts';
import { inMachines } from './secrets-machines.ts';

test('[AUTH-05] [AUTH-09] no secret is kept, logged, recorded or returned', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'cumulet-secrets-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const secrets = new Secrets();
  const region = await startRegion({ data });
  t.after(() => region.stop());
  secrets.know('the password of the owner', region.owner.password);
  secrets.know('the token of the owner', region.token);
  const answers: string[] = []; // the answers of refused calls
  await asUsers(region, secrets, answers);
  await inBodies(region, secrets, answers);
  await inHeaders(region, secrets, answers);
  await byCommands(region, secrets);
  await inMachines(region, secrets, answers);
  await ofPipelines(region, secrets);
  await ofCertificates(region, secrets, answers);
  assert.ok(secrets.all.length > 150);

  await t.test('the search finds existing resources', async () => {
    const known = new Secrets();
    known.know('an e-mail address', region.owner.email);
    assert.notDeepEqual(leaksBelow(data, known), []);
    if (onPostgres) assert.notDeepEqual(known.foundIn(await rowsOf(data)), [], 'in the rows');
    else assert.ok(filesBelow(data).some((file) => file.endsWith('state.db-wal')));
    for (const { text } of secrets.all.slice(0, 5)) {
      const basic = Buffer.from(`x@example.com:${text}`).toString('base64');
      assert.notDeepEqual(secrets.foundIn(`Authorization: Basic ${basic}`), [], 'in a Basic header');
    }
  });

  await t.test('not in the answers of refused calls', () => {
    assert.ok(answers.length > 20);
    assert.deepEqual(secrets.foundIn(answers.join('\n')), []);
  });

  await t.test('not in requests, nor in the activity log', async () => {
    const requests = await region.call('GET', `${core}/requests?depth=5&limit=10000`);
    await expect(region.call('PUT', '/lab/clock', { advanceMs: 61_000 }), 200); // what was read is written by now
    const activity = await region.call('GET', `/activitylog/v1/contracts/${region.contract}?limit=10000`);
    assert.ok(requests.body.items.length > 5);
    assert.deepEqual(secrets.foundIn(JSON.stringify(requests.body) + JSON.stringify(activity.body)), []);
  });

  await t.test('not in any file of the data folder, in the log of the state or in logs', async () => {
    assert.deepEqual(leaksBelow(data, secrets), [], 'while it runs');
    const rows = await rowsOf(data);
    assert.match(rows, /"kind":"create","state":"server"/, 'the journal of a server that is under way');
    assert.deepEqual(secrets.foundIn(rows), [], 'in the rows');
    await region.halt('SIGTERM');
    assert.deepEqual(leaksBelow(data, secrets), [], 'when it has stopped');
    // The owner's password is printed once, at the first start.
    const log = region
      .log()
      .split('\n')
      .filter((line) => !line.startsWith('{"event":"ready"'));
    assert.deepEqual(secrets.foundIn(log.join('\n')), [], 'in the log');
  });
});

// All rows of the state, because the files of PostgreSQL can't be searched here.
async function rowsOf(data: string): Promise<string> {
  await using state = await openRows(data);
  const found: unknown[] = [];
  for (const table of [...tables, 'lease']) found.push(await state.ask(`SELECT * FROM ${table}`));
  return JSON.stringify(found);
}

async function asUsers(region: Region, secrets: Secrets, answers: string[]): Promise<void> {
  const place = `${core}/um/users`;
  const person = { firstname: 'A', lastname: 'B', email: 'secret@example.com' };
  const first = secrets.plant('the password of a POST');
  const user = await createDone(region, place, { properties: { ...person, password: first } });
  await tokenOf(region, { email: person.email, password: first });
  const second = secrets.plant('the password of a PUT');
  const changed = await region.call('PUT', `${place}/${user.id}`, {
    properties: { ...user.properties, password: second },
  });
  await waitRequest(region, changed.headers.location);
  for (const token of [
    await tokenOf(region, { email: person.email, password: second }),
    await tokenOf(region, region.owner),
  ]) {
    secrets.know('a token', token);
    for (const part of token.split('.').slice(1)) secrets.know('a part of a token', part);
  }
  const revoked = secrets.know('a revoked token', await tokenOf(region, region.owner, '?ttl=3600'));
  await expect(region.call('DELETE', '/auth/v1/tokens?criteria=CURRENT', undefined, { token: revoked }), 200);
  answers.push(JSON.stringify(await region.call('GET', `${core}/`, undefined, { token: revoked })));
  await addGroup(region, ['s3Privilege'], [user]);
  const key = await createDone(region, `${place}/${user.id}/s3keys`, { properties: {} });
  secrets.know('an S3 secret key', String(key.properties.secretKey));
  await expect(region.call('PUT', `${place}/${user.id}/s3keys/${key.id}`, { properties: key.properties }), 202);
}

async function ofPipelines(region: Region, secrets: Secrets): Promise<void> {
  const { id, metadata } = await addPipeline(region);
  secrets.know('the key of a pipeline', String(metadata.key));
  const { body } = await expect(region.call('POST', `${pipelines}/${id}/key`, {}), 200);
  secrets.know('the new key of a pipeline', String(body.key));
}

async function ofCertificates(region: Region, secrets: Secrets, answers: string[]): Promise<void> {
  const authority = await authorityFor('CA of secrets');
  const leaf = await leafOf(authority, ['secret.example.com']);
  for (const line of leaf.key.split('\n').slice(1, 3)) secrets.know('a line of a private key', line);
  const properties = { name: 'kept', certificateChain: authority.certificate, privateKey: leaf.key };
  const { certificate } = leaf;
  await expect(region.call('POST', certificates, { properties: { ...properties, certificate } }), 201);
  for (const wrong of [authority.certificate, leaf.key])
    answers.push(
      JSON.stringify(await region.call('POST', certificates, { properties: { ...properties, certificate: wrong } })),
    );
  const keySecret = secrets.plant('the secret of an account with an ACME server');
  const provider = { name: 'bound', email: 'a@example.com', server: letsEncrypt };
  const bound = { ...provider, externalAccountBinding: { keyId: 'a', keySecret } };
  await expect(region.call('POST', `${service}/providers`, { properties: bound }), 201);
  answers.push(
    JSON.stringify(await region.call('POST', `${service}/providers`, { properties: { ...bound, email: '' } })),
  );
}

const certificates = `${service}/certificates`;

// Bodies that are refused for several reasons.
async function inBodies(region: Region, secrets: Secrets, answers: string[]): Promise<void> {
  const person = { firstname: 'A', lastname: 'B', email: 'refused@example.com' };
  const plant = (says: string): string => secrets.plant(`${says} of a body`);
  const users: [string, object | string | Buffer][] = [
    ['too long a password', { properties: { ...person, password: plant('too long a password').padEnd(300, 'x') } }],
    ['a password in a list', { properties: { ...person, password: [plant('a password in a list')] } }],
    ['a password in an object', { properties: { ...person, password: { value: plant('a password in an object') } } }],
    [
      'a password next to a wrong e-mail',
      { properties: { ...person, email: 'x', password: plant('a password next to a wrong e-mail') } },
    ],
    ['an unknown property', { properties: { ...person, passwort: plant('an unknown property') } }],
    ['an unknown property at the root', { password: plant('an unknown property at the root'), properties: person }],
    ['metadata', { metadata: { token: plant('metadata') }, properties: person }],
    ['half a body', `{"properties":{"password":"${plant('half a body')}"`],
    ['no quotes', `{"properties":{"password":${plant('no quotes')}}}`],
    ['a key twice', `{"password":"${plant('a key twice')}","password":"x"}`],
    ['a text', JSON.stringify(plant('a text'))],
    ['no UTF-8', Buffer.concat([Buffer.from(`{"password":"${plant('no UTF-8')}`), Buffer.from([0xff, 0x22, 0x7d])])],
    ['too large', `{"password":"${plant('too large')}${'x'.repeat(1_100_000)}"}`],
    ['too deep', `${'['.repeat(100)}"${plant('too deep')}"`],
  ];
  for (const [says, body] of users) {
    const answer = await region.call('POST', `${core}/um/users`, body);
    assert.ok(answer.status >= 400 && answer.status < 500, `${says}: ${answer.status}`);
    answers.push(JSON.stringify(answer));
  }
  const unknown = {
    properties: { name: 'a', location: 'de/txl', imagePassword: plant('a property of something else') },
  };
  answers.push(JSON.stringify(await region.call('POST', `${core}/datacenters`, unknown)));
  const entities = { lans: { items: [{ properties: { name: 'a', secret: plant('a composite') } }] } };
  answers.push(
    JSON.stringify(
      await region.call('POST', `${core}/datacenters`, { properties: { name: 'a', location: 'de/txl' }, entities }),
    ),
  );
  answers.push(
    JSON.stringify(await region.call('PATCH', `${core}/datacenters/none`, { password: plant('a change of nothing') })),
  );
  answers.push(JSON.stringify(await region.call('PUT', '/lab/faults', { faults: [], token: plant('the lab') })));
}

async function inHeaders(region: Region, secrets: Secrets, answers: string[]): Promise<void> {
  const plant = (says: string): string => secrets.plant(says);
  const headers: Record<string, string>[] = [
    { authorization: `Bearer ${plant('a Bearer header that is refused')}` },
    { authorization: `Digest ${plant('a Digest header')}` },
    { authorization: plant('a header without a scheme') },
    { authorization: `Basic ${Buffer.from(plant('half a Basic header')).toString('base64')}` },
  ];
  for (const one of headers) {
    for (const method of ['GET', 'POST'])
      answers.push(JSON.stringify(await region.call(method, `${core}/datacenters`, {}, { headers: one })));
  }
  const basic = { email: region.owner.email, password: plant('a wrong password') };
  answers.push(JSON.stringify(await region.call('GET', `${core}/`, undefined, { basic })));
  const more = {
    cookie: `session=${plant('a cookie')}`,
    'x-api-key': plant('an API key'),
    'proxy-authorization': plant('a proxy header'),
  };
  const created = await region.call(
    'POST',
    `${core}/datacenters`,
    { properties: { name: 'kept', location: 'de/txl' } },
    { headers: more },
  );
  assert.equal((await waitRequest(region, created.headers.location)).metadata.status, 'DONE');
  const query = (says: string): string =>
    `?password=${plant(`${says}: a password in a query`)}&token=${plant(`${says}: a token in a query`)}`;
  await expect(
    region.call('POST', `${core}/datacenters${query('POST')}`, { properties: { name: 'kept', location: 'de/txl' } }),
    202,
  );
  await expect(region.call('GET', `${core}/datacenters${query('GET')}`), 200);
  answers.push(JSON.stringify(await region.call('POST', `${core}/datacenters${query('refused')}`, {})));
  answers.push(JSON.stringify(await region.call('DELETE', `${core}/datacenters/none${query('missing')}`)));
}

async function byCommands(region: Region, secrets: Secrets): Promise<void> {
  const run = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await cumulet([...args, '--json', '--data', region.data]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const added = await run('contract', 'add', '--owner', 'second@example.com');
  secrets.know('the password that `contract add` made', String(added.password));
  await run('user', 'add', '--email', 'third@example.com', '--password', secrets.plant('the password of `user add`'));
  const { token } = await run('token', 'generate');
  secrets.know('the token of `token generate`', String(token));
}

test('[AUTH-05] nothing at rest can be turned back into a token, not even with all keys', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'cumulet-forged-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const region = await startRegion({ data });
  t.after(() => region.stop());
  await expect(region.call('GET', `${core}/`), 200);
  await using state = await openRows(data);
  const [signing] = await state.ask("SELECT hidden FROM resource WHERE place = 'region' AND id = 'signing'");
  const { sealed } = JSON.parse(String(signing?.hidden)) as { sealed: string };
  const seal = createSeal(Buffer.from(readFileSync(join(data, 'region.key'), 'utf8'), 'base64'));
  const signer = createSigner(seal.open(sealed));
  const known = signer.verify(region.token);
  assert.ok(known, 'it is the key that signs');
  const forged = signer.sign(known.id, known.claims);
  const [head, claims] = region.token.split('.');
  assert.deepEqual(forged.split('.').slice(0, 2), [head, claims], 'all but the signature is the same');
  assert.equal((await region.call('GET', `${core}/`, undefined, { token: forged })).status, 401);
});

test('[AUTH-09] a detached region keeps its first password in owner.json alone', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'cumulet-detached-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const up = await cumulet(['up', '--detach', '--json', '--port', '0', '--data', data]);
  assert.equal(up.code, 0, up.stderr);
  const down = await cumulet(['down', '--data', data]);
  assert.equal(down.code, 0, down.stderr);
  const { password } = JSON.parse(readFileSync(join(data, 'owner.json'), 'utf8')) as { password: string };
  const secrets = new Secrets();
  secrets.know('the first password', password);
  const leaks = leaksBelow(data, secrets);
  assert.deepEqual(leaks, [`${join(data, 'owner.json')}: the first password`]);
});
