// Read-only resources, and each kind of error, as SDKs see them.
import assert from 'node:assert/strict';
import type { ResourceBody } from '../../../harness/region.ts';
import { areReferences, idsOf, isRefused, part, shows } from './claims.ts';
import type { Checks } from './flow.ts';

const reading: Checks = {
  location_list: {
    title: '[CORE-21] locations are listed, whole and by region',
    verify(seen) {
      const [references, full, region] = [part(seen, 'references'), part(seen, 'full'), part(seen, 'region')];
      areReferences(references);
      assert.ok(references.items.length >= 11);
      for (const { id, properties } of full.items) {
        assert.ok(properties.name, id);
        assert.ok((properties.features as string[]).length > 0, id);
        assert.ok((properties.imageAliases as string[]).length > 0, id);
        assert.ok((properties.cpuArchitecture as unknown[]).length > 0, id);
      }
      assert.deepEqual(idsOf(region).sort(), ['us/ewr', 'us/las', 'us/mci']);
    },
  },
  location_get: {
    title: '[CORE-21] a location is found by its id, with a slash in it too',
    verify(seen) {
      assert.equal(part(seen, 'plain').id, 'de/txl');
      assert.equal(part(seen, 'slashed').id, 'de/fra/2');
      assert.ok(part(seen, 'slashed').properties.name);
      isRefused(seen.gone, 404, '309');
    },
  },
  contract_list: {
    title: '[CORE-21] the contract has its number, its owner and all 25 figures, at depth 0 too',
    verify(seen, journey) {
      const [contract] = seen.body.items;
      assert.equal(contract?.type, 'contract');
      shows(contract as ResourceBody, { contractNumber: journey.contract });
      assert.match(String(contract?.properties.owner), /@/);
      const limits = contract?.properties.resourceLimits as Record<string, number>;
      const figures = Object.values(limits);
      assert.equal(figures.length, 25);
      assert.ok(figures.every(Number.isSafeInteger));
    },
  },
};

const refusals: Checks = {
  error_unauthorized: {
    title: '[GEN-05] 401 for an invalid token',
    verify: (seen) => isRefused(seen, 401, '315'),
  },
  error_missing: {
    title: '[GEN-05] 404 for a missing resource: read, changed or as a parent',
    verify(seen) {
      for (const name of ['unknown', 'change', 'parent']) isRefused(seen[name] as typeof seen.gone, 404, '309');
    },
  },
  error_unacceptable: {
    title: '[GEN-04] [GEN-05] 422 names every mistake and its place',
    verify(seen) {
      const place = (name: string): RegExp => new RegExp(`\\[\\(root\\)\\.properties\\.${name}\\]`);
      isRefused(seen, 422, '109', place('name'), place('location'), /xx\/yyy/, /de\/txl/);
      isRefused(seen, 422, '100');
      assert.equal(seen.body.messages.length, 2);
    },
  },
  error_limit: {
    title: "[CORE-21] 422 over the contract's limit; the message contains it",
    verify: (seen) => isRefused(seen, 422, '200', /limit/, /1000/, /4000/),
  },
  error_immutable: {
    title: '[GEN-04] 422 for a change of an immutable property',
    verify: (seen) => isRefused(seen, 422, '100', /\(root\)\.properties\.location/),
  },
};

export const errorChecks: Checks = { ...reading, ...refusals };
