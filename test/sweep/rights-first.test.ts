// Rights come before the body. A caller who may not make a call gets the same 401, 403 or 404 whatever is in the body:
// malformed, of another type, against the schema, encoded or too large.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { s3Operations } from '../../src/testing/black-box/declarations.ts';
import { presign } from '../../src/testing/black-box/s3-signature.ts';
import { done } from '../harness/landscape.ts';
import { makeStorageKey, provideBuckets, type StorageKey, storageUrl } from '../harness/objects.ts';
import { addGroup, addPerson, core, type PersonOfTest } from '../harness/people.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { head, wire } from '../harness/wire.ts';
import { fill, inventory, namesIn, type Operation, operationsOf } from './api.ts';
import { baseOf } from './good-bodies.ts';
import { actionsIn, compareRights, rolesIn } from './shown-rights.ts';
import type { Json } from './values.ts';
import { sharedNames, type World, worldOf } from './world.ts';

const refusals = [401, 403, 404];

interface Sent {
  says: string;
  body: string;
  headers: Record<string, string | number>;
}

const json = { 'content-type': 'application/json' };
const sent = (says: string, body: string, headers: Sent['headers'] = json): Sent => ({ says, body, headers });

const badBodies: readonly Sent[] = [
  sent('malformed JSON', '{"properties":'),
  sent('another type', '%PDF-1.7', { 'content-type': 'application/pdf' }),
  sent('against the schema', '{"properties":[[]],"unknown":{"":7},"items":7,"faults":7,"query":[]}'),
  sent('an encoded body', '\x1f\x8b', { ...json, 'content-encoding': 'gzip' }),
  sent('too large', '{"properties":', { ...json, 'content-length': 10 * 1024 ** 3 }),
];

type Credentials = Record<string, string>;

const bearer = (token: string): Credentials => ({ authorization: `Bearer ${token}` });

interface Call {
  url: string;
  method: string;
  path: string;
  caller: Credentials;
}

// Few bytes of a large body are sent: the answer has to come without the others.
async function statusOf({ url, method, path, caller }: Call, { body, headers }: Sent): Promise<number> {
  const all = { 'content-length': Buffer.byteLength(body), connection: 'close', ...caller, ...headers };
  return (await wire(url, head(method, path, all) + body)).status;
}

interface Check {
  name: string;
  call: Call;
  good: Sent;
  bad?: readonly Sent[];
  mayCall?: boolean; // a caller who is not refused has the right
}

// Gives the calls that were refused.
async function assertSame(checks: readonly Check[]): Promise<string[]> {
  const wrong: string[] = [];
  const refused: string[] = [];
  for (const { name, call, good, bad = badBodies, mayCall = false } of checks) {
    const expected = await statusOf(call, good);
    if (mayCall && !refusals.includes(expected)) continue;
    if (!refusals.includes(expected)) wrong.push(`${name}: ${expected} for a good body`);
    refused.push(name);
    for (const one of bad) {
      const status = await statusOf(call, one);
      if (status !== expected) wrong.push(`${name}: ${status} for ${one.says}, ${expected} for a good body`);
    }
  }
  assert.deepEqual(wrong, []);
  return refused;
}

test('[AUTH-08] rights come before the body', async (t) => {
  await using region = await startRegion({ args: ['--rate-burst', '1000000', '--inference-rate', '1000000'] });
  const world = await worldOf(region);
  const changing = ({ method, isOpen }: Operation): boolean => method !== 'GET' && !isOpen;
  const tokened = (await operationsOf(region)).filter(changing);
  const keyed = (await operationsOf(region, true)).filter(changing);
  const administrator = await addPerson(region, { administrator: true });
  const editor = await editorOf(region, world);
  const storage = await storageOf(region, world);
  const good = new Map<string, Sent>();
  for (const one of tokened)
    good.set(one.id, sent('a good body', one.body ? withoutParts(await baseOf(region, one, world)) : ''));
  const roles = await rolesIn(region, world);
  const before = await inventory(region);
  const checksOf = (operations: readonly Operation[], caller: Credentials, ids = world.ids): Check[] =>
    operations.map((one) => ({
      name: one.id,
      call: { url: region.url, method: one.method, path: fill(one, ids), caller },
      good: good.get(one.id) ?? sent('', ''),
    }));

  await t.test('without a token', async () => {
    await assertSame(checksOf(tokened, {}));
  });

  await t.test('with a wrong token', async () => {
    await assertSame(inTurn(checksOf(tokened, bearer('garbage'))));
  });

  await t.test('with a token or a wrong key instead of the key of a pipeline', async () => {
    assert.ok(keyed.length > 30);
    for (const caller of [{}, bearer(region.token), { apikey: 'garbage' }])
      await assertSame(inTurn(checksOf(keyed, caller)));
  });

  // Everybody may delete their own tokens.
  const ofOthers = tokened.filter(({ id }) => id !== 'token_deleteByCriteria');

  await t.test('by a user of the contract without privileges', async () => {
    assert.ok((await assertSame(checksOf(ofOthers, bearer(world.user.token)))).length > 150);
  });

  await t.test('by a user without privileges, on paths without the prefix of the product', async () => {
    const atRoot = ofOthers.map((one) => ({ ...one, path: one.below }));
    await assertSame(inTurn(checksOf(atRoot, bearer(world.user.token))));
  });

  await t.test('by a user who may only see the datacenter', async () => {
    const inside = tokened.filter(({ path }) => path.includes('/datacenters/{datacenterId}'));
    assert.ok(inside.length > 50);
    await assertSame(checksOf(inside, bearer(world.reader.token)));
  });

  await t.test('by the owner of another contract, with our ids or our contract number', async () => {
    const named = tokened.filter((one) => namesIn(one).some((name) => !sharedNames.has(name)));
    assert.ok(named.length > 100);
    await assertSame(checksOf(named, bearer(world.other.token)));
    await assertSame(checksOf(tokened, { ...bearer(world.other.token), 'x-contract-number': String(region.contract) }));
  });

  await t.test('by administrators and owners of other contracts, in the lab', async () => {
    const lab = tokened.filter(({ service }) => service === 'lab');
    for (const { token } of [administrator, world.other]) {
      const refused = await assertSame(checksOf(lab, bearer(token)).map((one) => ({ ...one, mayCall: true })));
      for (const name of ofFirstOwner) assert.ok(refused.includes(name), name);
    }
  });

  await t.test('faults of others are refused before the rest of them is checked', async () => {
    const outside = [{ mode: 'crash', times: 'x' }, { contract: region.contract, kind: 7 }, { contract: 'x' }];
    for (const fault of outside) {
      const { status } = await region.call('PUT', '/lab/faults', { faults: [{}, fault] }, { token: world.other.token });
      assert.equal(status, 403, JSON.stringify(fault));
    }
  });

  await t.test('of S3, without a signature, with a wrong one and with keys of others', async () => {
    await assertStorageSame(region, storage);
  });

  await t.test('the console shows the rights that the region applies, for each role and each action', async () => {
    const actions = await actionsIn(region, world);
    assert.ok(actions.length > 150, `only ${actions.length} actions`);
    const many = Array.from({ length: 201 }, () => ({ method: 'GET', path: '/' }));
    for (const calls of [undefined, [], many, [{ method: 'GET' }], [{ method: 'GET', path: 'x' }], ['x']])
      assert.equal((await region.call('POST', '/console/rights', { calls })).status, 422);
    assert.equal((await region.call('POST', '/console/rights', { calls: [many[0]] }, { token: null })).status, 401);
    const counts = new Map<string, Awaited<ReturnType<typeof compareRights>>>();
    for (const [role, token] of roles) counts.set(role, await compareRights(region, actions, token));
    const possible = (role: string): number => counts.get(role)?.possible ?? 0;
    assert.ok(possible('the owner') > possible('a user with a share to edit'), JSON.stringify([...counts]));
    assert.ok(possible('a user with a share to edit') > possible('a user with a share to read'));
    assert.ok(possible('a user with all privileges') > possible('a user without rights'));
  });

  await t.test('no call created, changed or removed anything', async () => {
    assert.deepEqual(await inventory(region), before);
  });

  // They may change much, so this is the last test. A DELETE has no body.
  await t.test('by a user who may edit what is shared with them, but has no privileges', async () => {
    const ids = { ...world.ids, userId: editor.user.id };
    const sending = ofOthers.filter(({ method }) => method !== 'DELETE');
    const checks = checksOf(sending, bearer(editor.token), ids).map((one) => ({ ...one, mayCall: true }));
    const refused = await assertSame(checks);
    for (const name of ['user_replace', 'group_replace', 'group_users_add', 'share_replace', 'volume_createSnapshot'])
      assert.ok(refused.includes(name), name);
    assert.ok(refused.length < sending.length / 1.5, 'nearly everything is refused');
    assert.doesNotMatch(region.log(), /"message":"bug"/);
  });
});

// A part that is created with the whole needs further rights, which depend on the body.
const withoutParts = (body: Json): string =>
  JSON.stringify(body, (key, value) => (key === 'entities' ? undefined : value));

// Calls without valid credentials are throttled, so each operation gets one of the bodies, in turn.
const inTurn = (checks: Check[]): Check[] =>
  checks.map((check, at) => ({ ...check, bad: [badBodies[at % badBodies.length] as Sent] }));

// A member of the group that the sweep knows, who may edit the datacenter.
async function editorOf(region: Region, { ids }: World): Promise<PersonOfTest> {
  const editor = await addPerson(region);
  const group = await addGroup(region, [], [editor.user]);
  const shares = `${core}/um/groups/${group.id}/shares`;
  await done(region, 'POST', `${shares}/${ids.datacenterId}`, { properties: { editPrivilege: true } });
  await done(region, 'POST', `${core}/um/groups/${ids.groupId}/users`, { id: editor.user.id });
  return editor;
}

const xml = { 'content-type': 'application/xml' };
const badDocuments: readonly Sent[] = [
  sent('malformed XML', '<Delete><Object', xml),
  sent('another type', '%PDF-1.7', { 'content-type': 'application/pdf' }),
  sent('another document', '<Unknown><A>7</A></Unknown>', xml),
  sent('too large', '<Delete>', { ...xml, 'content-length': 10 * 1024 ** 3 }),
];

// A form says itself who sends it, by a signed policy in the body.
const isForm = ({ name }: { name: string }): boolean => name === 'PostObject';

interface Storage {
  bucket: string;
  other: StorageKey; // of the owner of another contract
  powerless: StorageKey; // of a user who had the privilege once
}

async function storageOf(region: Region, { other }: World): Promise<Storage> {
  const bucket = `rights-${region.contract}`;
  await provideBuckets(region, bucket);
  const { user, token } = await addPerson(region);
  const group = await addGroup(region, ['s3Privilege'], [user]);
  const powerless = await makeStorageKey(region, { id: user.id, token });
  await done(region, 'DELETE', `${core}/um/groups/${group.id}/users/${user.id}`);
  return { bucket, other: await makeStorageKey(region.as(other)), powerless };
}

async function assertStorageSame(region: Region, { bucket, other, powerless }: Storage): Promise<void> {
  const url = storageUrl(region);
  const keys = [undefined, { ...other, secretAccessKey: 'wrong' }, other, powerless];
  const sending = s3Operations.filter((one) => ['PUT', 'POST'].includes(one.method) && !isForm(one));
  assert.ok(sending.length > 15);
  for (const key of keys) {
    const checks = sending
      .filter(({ name }) => name !== 'CreateBucket' || key !== other) // they may, in their own contract
      .map(({ name, method, target, query, isCopy }): Check => {
        const named = { bucket, key: target === 'object' ? 'object' : '' };
        const part = query === undefined ? {} : { [query]: query === 'uploadId' ? 'x' : '', partNumber: '1' };
        const path = pathOf({ ...named, method, endpoint: url, query: part }, key);
        const caller = { host: new URL(url).host, ...(isCopy && { 'x-amz-copy-source': `/${bucket}/object` }) };
        return { name, call: { url, method, path, caller }, good: sent('a good body', ''), bad: badDocuments };
      });
    await assertSame(checks);
  }
}

function pathOf(request: Omit<Parameters<typeof presign>[0], 'expiresS'>, key: StorageKey | undefined): string {
  const { bucket, key: object, query = {} } = request;
  if (!key) return `/${bucket}${object && `/${object}`}?${new URLSearchParams(query)}`;
  const signer = { accessKey: key.accessKeyId, secretKey: key.secretAccessKey, region: 'eu-central-3' };
  const { pathname, search } = new URL(presign({ ...request, expiresS: 600 }, signer, Date.now()));
  return pathname + search;
}

const ofFirstOwner = [
  'lab_clock_advance',
  'lab_savepoint_create',
  'lab_contract_create',
  'lab_copy_read',
  'lab_copy_apply',
];
