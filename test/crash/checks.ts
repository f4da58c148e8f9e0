// A crash test compares the requests, the audit and the counters that the API returns with the ledger after each round.
import assert from 'node:assert/strict';
import { assertWhole } from '../harness/invariants.ts';
import { core } from '../harness/people.ts';
import { type Region, type ResourceBody, waitRequest } from '../harness/region.ts';
import type { Ledger } from './ledger.ts';

// Nothing answered is lost, nothing is half made, and everything is counted once.
export async function assertRound(region: Region, ledger: Ledger, audit: Audit): Promise<void> {
  await drained(region);
  const requests = await requestsOf(region, 'depth=3&limit=2000');
  assertRequests(ledger, new Map(requests.map((item) => [item.id, item])));
  await ledger.settle(region);
  await audit.assertHas(region, ledger);
  await assertCounted(region);
  await assertWhole(region.data);
  ledger.changes.length = 0;
}

// Awaits the end of all that is under way.
export async function drained(region: Region): Promise<void> {
  for (const { id } of await requestsOf(region, 'filter.status=BUSY&limit=10000'))
    await waitRequest(region, `${core}/requests/${id}/status`);
  assert.deepEqual(await requestsOf(region, 'filter.status=BUSY&limit=1'), []);
}

async function requestsOf(region: Region, query: string): Promise<ResourceBody[]> {
  const { status, body } = await region.call('GET', `${core}/requests?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.items;
}

function assertRequests({ changes }: Ledger, requests: Map<string, ResourceBody>): void {
  for (const { request, lasting, resource, action } of changes) {
    if (!lasting) continue;
    const found = requests.get(request);
    assert.ok(found, `${action} of ${resource.name} was answered and its request is lost`);
    const { status, message } = (found.metadata.requestStatus as ResourceBody).metadata;
    if (status === 'FAILED' && resource.doomed && /deleted meanwhile/.test(String(message))) continue;
    assert.equal(status, 'DONE', `${action} of ${resource.name}: ${message}`);
  }
}

interface Hit {
  _id: string;
  _source: {
    time: string;
    meta: { requestId?: string };
    event: { resources: { id: string; action: string[] }[] };
  };
}

export class Audit {
  entries = 0; // the number of the newest that was seen

  async assertHas(region: Region, { changes }: Ledger): Promise<void> {
    const fresh = await this.#read(region);
    const byRequest = new Set(fresh.map(({ _source }) => _source.meta.requestId));
    const byAction = new Map<string, number>();
    const keysOf = ({ _source }: Hit): string[] =>
      _source.event.resources.flatMap(({ id, action }) => action.map((one) => `${one} ${id}`));
    for (const key of fresh.flatMap(keysOf)) byAction.set(key, (byAction.get(key) ?? 0) + 1);
    for (const { request, lasting, action, resource } of changes) {
      if (lasting) assert.ok(byRequest.has(request), `${action} of ${resource.name} has no entry`);
      else {
        const key = `${action} ${resource.name}`;
        const left = byAction.get(key) ?? 0;
        assert.ok(left > 0, `${key} has no separate entry`);
        byAction.set(key, left - 1);
      }
    }
  }

  // The entries since the last time, newest first: their numbers are dense and their times in order.
  async #read(region: Region): Promise<Hit[]> {
    const path = `/activitylog/v1/contracts/${region.contract}?limit=10000`;
    const { status, body } = await region.call<{ hits: { total: number; hits: Hit[] } }>('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    const { hits, total } = body.hits;
    const numberOf = ({ _id }: Hit): number => Number.parseInt(_id.slice(-12), 16);
    const fresh = hits.filter((hit) => numberOf(hit) > this.entries);
    for (const [at, hit] of hits.entries()) {
      assert.equal(numberOf(hit), total - at, 'the numbers of the activity log have a gap');
      const older = hits[at + 1];
      if (older) assert.ok(older._source.time <= hit._source.time, 'time goes back in the activity log');
    }
    assert.ok(this.entries >= total - hits.length, 'a page was too small for the round');
    this.entries = total;
    return fresh;
  }
}

async function assertCounted(region: Region): Promise<void> {
  const { body: blocks } = await region.call('GET', `${core}/ipblocks?depth=1&limit=10000`);
  const addresses = blocks.items.flatMap(({ properties }) => {
    const ips = properties.ips as string[];
    assert.equal(ips.length, properties.size);
    return ips;
  });
  assert.equal(new Set(addresses).size, addresses.length, 'an address was given twice');
  const { body } = await region.call('GET', `${core}/contracts?depth=1`);
  const limits = body.items[0]?.properties.resourceLimits as Record<string, number>;
  assert.equal(limits.reservedIpsOnContract, addresses.length, 'the counter of addresses is not what exists');
}
