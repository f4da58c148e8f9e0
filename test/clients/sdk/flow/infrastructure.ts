// Datacenters, LANs, labels, IP blocks and requests, as SDKs see them.
import assert from 'node:assert/strict';
import type { ResourceBody } from '../../../harness/region.ts';
import { areReferences, idsOf, isAccepted, isDeleted, isRefused, namesOf, part, shows } from './claims.ts';
import type { Checks } from './flow.ts';

const isAvailable = (shown: ResourceBody): void => assert.equal(shown.metadata.state, 'AVAILABLE');

const datacenterChecks: Checks = {
  datacenter_create: {
    title: '[CORE-01] [CORE-04] 202 with id, type and Location; BUSY, and AVAILABLE once its request is DONE',
    verify(seen, journey) {
      isAccepted(seen, 'datacenter', journey, 'BUSY');
      isAvailable(seen.after);
      const sent = { name: `${journey.tag}-a`, description: 'made by a test', location: 'de/txl' };
      shows(seen.after, { ...sent, secAuthProtection: false });
      assert.ok(Number.isSafeInteger(seen.after.properties.version));
      const [cpu] = seen.after.properties.cpuArchitecture as { cpuFamily: string }[];
      assert.ok(cpu?.cpuFamily);
    },
  },
  datacenter_composite: {
    title: 'a datacenter is created with its LANs in one request',
    verify(seen, journey) {
      isAccepted(seen, 'datacenter', journey, 'BUSY');
      isAvailable(seen.after);
      const lans = seen.after.entities.lans as ResourceBody;
      assert.deepEqual(idsOf(lans), ['1', '2']);
      assert.deepEqual(namesOf(lans), ['first', 'second']);
      lans.items.forEach(isAvailable);
    },
  },
  datacenter_depth: {
    title: '[CORE-06] an item shows one level more with each depth',
    verify(seen) {
      const [bare, references, full, more] = (seen.items as ResourceBody[]).map(
        ({ entities }) => entities.lans as ResourceBody,
      );
      assert.equal(bare?.items ?? null, null);
      assert.equal(references?.items.length, 2);
      areReferences(references);
      assert.deepEqual(namesOf(full as ResourceBody), ['inside', 'put']);
      assert.deepEqual(namesOf(more as ResourceBody), ['inside', 'put']);
    },
  },
  datacenter_list: {
    title: '[CORE-06] a list gives references at depth 0 and whole items at depth 1; filters contain, in any case',
    verify(seen, { tag }) {
      const names = ['a', 'b', 'c'].map((letter) => `${tag}-${letter}`);
      const [references, full] = [part(seen, 'references'), part(seen, 'full')];
      areReferences(references);
      for (const name of names) assert.ok(namesOf(full).includes(name), name);
      assert.ok(idsOf(full).every((id) => id !== ''));
      assert.deepEqual(part(seen, 'none').items, []);
    },
  },
  datacenter_page: {
    title: '[CORE-06] offset, limit and orderBy give pages, and _links lead from one to the next',
    verify(seen, { tag, base }) {
      const [first, second] = [part(seen, 'first'), part(seen, 'second')];
      assert.deepEqual(namesOf(first), [`${tag}-a`, `${tag}-b`]);
      assert.equal(namesOf(second)[0], `${tag}-c`);
      assert.equal(first.offset, 0);
      assert.equal(second.offset, 2);
      assert.equal(first.limit, 2);
      const links = first._links as { self: string; next: string };
      assert.ok(links.next.startsWith(`${base}/datacenters?`), links.next);
      assert.equal(new URL(links.next).searchParams.get('offset'), '2');
      assert.ok((second._links as { prev: string }).prev);
    },
  },
  datacenter_patch: {
    title: '[CORE-01] PATCH changes only the given properties',
    verify(seen, journey) {
      isAccepted(seen, 'datacenter', journey, 'BUSY');
      isAvailable(seen.after);
      shows(seen.after, { name: `${journey.tag}-a`, description: 'changed', location: 'de/txl' });
      assert.ok(Number(seen.after.properties.version) > 1);
    },
  },
  datacenter_put: {
    title: '[CORE-01] PUT changes the given properties and keeps the rest',
    verify(seen, journey) {
      isAccepted(seen, 'datacenter', journey, 'BUSY');
      shows(seen.after, {
        name: `${journey.tag}-a2`,
        description: 'changed',
        location: 'de/txl',
        secAuthProtection: true,
      });
    },
  },
  datacenter_delete: {
    title: '[CORE-05] deleting a datacenter deletes its contents',
    verify(seen, journey) {
      isDeleted(seen, journey);
      isRefused(seen.below as typeof seen.gone, 404, '309');
    },
  },
};

const lanChecks: Checks = {
  lan_create: {
    title: 'a private LAN has a small number and its own range',
    verify(seen, journey) {
      isAccepted(seen, 'lan', journey);
      assert.equal(seen.body.id, '1');
      isAvailable(seen.after);
      shows(seen.after, { name: 'inside', public: false, ipFailover: [], pcc: null });
      assert.match(String(seen.after.properties.ipv4CidrBlock), /^[\d.]+\/\d+$/);
    },
  },
  lan_public: {
    title: 'a public LAN has none',
    verify(seen, journey) {
      isAccepted(seen, 'lan', journey);
      assert.equal(seen.body.id, '2');
      shows(seen.after, { name: 'outside', public: true, ipv4CidrBlock: null });
    },
  },
  lan_list: {
    title: '[CORE-06] LANs are listed in order of their numbers, and filtered',
    verify(seen) {
      assert.deepEqual(idsOf(part(seen, 'references')), ['1', '2']);
      areReferences(part(seen, 'references'));
      assert.deepEqual(namesOf(part(seen, 'filtered')), ['outside']);
    },
  },
  lan_patch: {
    title: '[CORE-01] PATCH renames it and leaves it public',
    verify(seen, journey) {
      isAccepted(seen, 'lan', journey);
      shows(seen.after, { name: 'renamed', public: true });
    },
  },
  lan_put: {
    title: '[CORE-01] PUT makes it private, and gives it a range',
    verify(seen, journey) {
      isAccepted(seen, 'lan', journey);
      shows(seen.after, { name: 'put', public: false });
      assert.ok(seen.after.properties.ipv4CidrBlock);
    },
  },
  lan_delete: { title: '[CORE-01] it is deleted once its request is DONE', verify: isDeleted },
};

const requestChecks: Checks = {
  request_list: {
    title: '[CORE-02] requests are listed newest first, in pages, by method, URL and status',
    verify(seen) {
      const [plain, filtered] = [part(seen, 'plain'), part(seen, 'filtered')];
      areReferences(plain);
      assert.equal(plain.items.length, 2);
      assert.equal(plain.limit, 2);
      assert.ok(filtered.items.length >= 3);
      for (const { properties, metadata } of filtered.items) {
        assert.equal(properties.method, 'POST');
        assert.match(String(properties.url), /\/datacenters/);
        assert.equal((metadata.requestStatus as ResourceBody).metadata.status, 'DONE');
      }
    },
  },
  request_get: {
    title: '[CORE-02] a request shows the call, the caller and the outcome',
    verify(seen, { tag, base }) {
      const { body } = seen;
      assert.equal(body.id, seen.id);
      assert.equal(body.properties.method, 'POST');
      assert.equal(body.properties.url, `${base}/datacenters`);
      assert.match(String(body.properties.body), new RegExp(`${tag}-a`));
      assert.match(String(body.metadata.createdBy), /@/);
      const ended = part(seen, 'ended');
      assert.equal(ended.type, 'request-status');
      assert.equal(ended.metadata.status, 'DONE');
      assert.ok(ended.metadata.message);
      const [target] = ended.metadata.targets as { target: ResourceBody; status: string }[];
      assert.equal(target?.target.type, 'datacenter');
      assert.equal(target.status, 'DONE');
    },
  },
};

const labelChecks: Checks = {
  label_create: {
    title: 'a label exists at once: 201 and no request',
    verify(seen, { tag }) {
      assert.equal(seen.status, 201);
      assert.equal(seen.location ?? '', '');
      assert.equal(seen.body.id, 'stage');
      shows(seen.body, { key: 'stage', value: tag });
    },
  },
  label_list: {
    title: 'the labels of a resource are listed',
    verify: (seen) => assert.deepEqual(idsOf(seen.body), ['stage']),
  },
  label_all: {
    title: 'all labels are listed with their resources, and found by their URN',
    verify(seen, { tag, base }) {
      const { dc } = seen;
      const urn = `urn:label:datacenter:${dc}:stage`;
      assert.deepEqual(idsOf(part(seen, 'everywhere')), [urn]);
      assert.equal(part(seen, 'one').id, urn);
      const on = { resourceId: dc, resourceType: 'datacenter', resourceHref: `${base}/datacenters/${dc}` };
      shows(part(seen, 'one'), { key: 'stage', value: tag, ...on });
    },
  },
  label_put: {
    title: 'its value changes at once',
    verify(seen) {
      assert.equal(seen.status, 200);
      shows(seen.after, { key: 'stage', value: 'live' });
    },
  },
  label_delete: {
    title: 'it is deleted at once',
    verify(seen) {
      assert.equal(seen.status, 200);
      isRefused(seen.gone, 404, '309');
    },
  },
};

const addressChecks: Checks = {
  ipblock_create: {
    title: 'the answer has as many addresses as requested',
    verify(seen, journey) {
      isAccepted(seen, 'ipblock', journey, 'BUSY');
      const ips = seen.body.properties.ips as string[];
      assert.equal(new Set(ips).size, 2);
      isAvailable(seen.after);
      shows(seen.after, { name: `${journey.tag}-block`, location: 'de/fra', size: 2, ips });
    },
  },
  ipblock_list: {
    title: '[CORE-06] two filters must both hold',
    verify: (seen, { tag }) => assert.deepEqual(namesOf(seen.body), [`${tag}-block`]),
  },
  ipblock_label: {
    title: 'it takes labels',
    verify(seen) {
      assert.equal(seen.status, 201);
      assert.deepEqual(idsOf(part(seen, 'all')), ['use']);
    },
  },
  ipblock_patch: {
    title: '[CORE-01] PATCH renames it',
    verify(seen, journey) {
      isAccepted(seen, 'ipblock', journey);
      shows(seen.after, { name: `${journey.tag}-patched`, size: 2 });
    },
  },
  ipblock_put: {
    title: '[CORE-01] PUT accepts unchanged immutable properties',
    verify(seen, journey) {
      isAccepted(seen, 'ipblock', journey);
      shows(seen.after, { name: `${journey.tag}-put`, size: 2, location: 'de/fra' });
      assert.equal((seen.after.properties.ips as string[]).length, 2);
    },
  },
  ipblock_delete: { title: '[CORE-01] it is deleted once its request is DONE', verify: isDeleted },
};

export const infrastructureChecks: Checks = {
  ...datacenterChecks,
  ...lanChecks,
  ...requestChecks,
  ...labelChecks,
  ...addressChecks,
};
