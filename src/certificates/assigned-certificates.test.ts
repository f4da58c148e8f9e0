// Assigned certificates at the limits of their validity, and while the state can't be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthority, issueCertificate } from '../base/certificate.ts';
import { machineTime } from '../base/clock.ts';
import { uuid } from '../base/ids.ts';
import { silent } from '../base/log.ts';
import { createSeal, newSealKey } from '../base/seal.ts';
import { claimKey, claimRow } from '../core/operation/reservations.ts';
import { idClaim } from '../core/regional.ts';
import { rowOf } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { openWorkbench } from '../core/testing.ts';
import { Assigned } from './assigned-certificates.ts';
import { heldCertificatesOf } from './held-certificates.ts';
import { certificate } from './resources/certificate.ts';

const dayMs = 86_400_000;
const contract = 7;
const host = 's3.test';
const seal = createSeal(newSealKey());
const always = (): boolean => true;

async function insertCertificate(store: Store): Promise<string> {
  const authority = await createAuthority({ commonName: 'CA', days: 2, now: machineTime });
  const leaf = await issueCertificate(authority, { commonName: host, hosts: [host], days: 1, now: machineTime });
  const [id, place] = [uuid(), 'certificate-manager/certificates@de-fra'];
  const body = JSON.stringify({ certificate: leaf.certificate, certificateChain: authority.certificate });
  const hidden = JSON.stringify({ facts: {}, key: seal.close(leaf.key) });
  const row = rowOf({ contract, place, id, kind: certificate.name, body, hidden });
  await store.must([
    { op: 'insert', table: 'resource', row },
    { op: 'insert', table: 'claim', row: claimRow(idClaim(certificate, id), contract, `${place}/${id}`) },
  ]);
  return id;
}

async function open() {
  const bench = await openWorkbench([], () => undefined);
  const { store } = bench;
  const time = { isBroken: false, now: machineTime() };
  const held = heldCertificatesOf(store, seal);
  const pem: typeof held.pem = (...place) =>
    time.isBroken ? Promise.reject(new Error('the state does not answer')) : held.pem(...place);
  const own = { store, targets: () => ['s3'], now: () => time.now, log: silent };
  const assigned = new Assigned({ ...own, held: { ...held, pem } });
  const id = await insertCertificate(store);
  await assigned.assign({ id, to: 's3' });
  return { bench, store, time, held, assigned, id };
}

test('a certificate is presented only while it is valid, and an expired one can not be assigned', async () => {
  const { bench, time, assigned, id } = await open();
  await using _ = bench;
  const isPresented = async (): Promise<boolean> => (await assigned.contextFor(host, always)) !== undefined;
  assert.equal(await isPresented(), true);
  assert.equal(await assigned.contextFor('other.test', always), undefined);
  assert.equal(await assigned.contextFor(host, (target) => target !== 's3'), undefined);
  time.now += 2 * dayMs;
  assert.equal(await isPresented(), false, 'expired');
  assert.equal((await assigned.list())[0]?.state, 'EXPIRED');
  await assert.rejects(assigned.assign({ id, to: 's3' }), /can't be presented, because it has expired/);
  time.now -= 5 * dayMs;
  assert.equal(await isPresented(), false, 'not valid yet');
});

test('the last known certificates are presented while the state can not be read', async () => {
  const { bench, store, time, assigned, id } = await open();
  await using _ = bench;
  const known = await assigned.contextFor(host, always);
  assert.ok(known);
  const next = await insertCertificate(store);
  await assigned.assign({ id: next, to: 's3' });
  time.isBroken = true;
  assert.equal(await assigned.contextFor(host, always), known);
  time.isBroken = false;
  assert.notEqual(await assigned.contextFor(host, always), known, 'the newest assignment');
  assert.deepEqual(await assigned.unassign({ id: next }), { unassigned: ['s3'] });
  assert.equal(await assigned.contextFor(host, always), known, 'its context is kept');
  assert.deepEqual(
    (await assigned.list()).map((one) => one.id),
    [id],
  );
});

test('the key of a certificate is given for its own contract only', async () => {
  const { bench, held, id } = await open();
  await using _ = bench;
  const found = await held.pem(contract, id);
  assert.equal(found?.id, id);
  assert.match(found.key, /^-----BEGIN PRIVATE KEY-----/);
  assert.equal(await held.pem(contract + 1, id), undefined);
  assert.equal(await held.pem(contract, uuid()), undefined);
});

test('assignments of deleted certificates are removed', async () => {
  const { bench, store, assigned, id } = await open();
  await using _ = bench;
  await assigned.tidy();
  assert.equal((await assigned.list()).length, 1);
  await store.must([{ op: 'remove', table: 'claim', key: claimKey(idClaim(certificate, id)), loose: true }]);
  await assigned.tidy();
  await assert.rejects(assigned.unassign({ id }), /is not assigned/);
});
