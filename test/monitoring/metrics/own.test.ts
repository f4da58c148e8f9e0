// The platform's own metrics: with central monitoring enabled, the usage of machines and contracts can be queried.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDatacenter, addServer } from '../../harness/landscape.ts';
import type { Sample } from '../../harness/metrics.ts';
import { provideBuckets } from '../../harness/objects.ts';
import { type Region, startRegion } from '../../harness/region.ts';

const minuteMs = 60_000;

async function ask(region: Region, central: string, query: string): Promise<Sample[]> {
  const path = `/monitoring/central/${central}/prometheus/api/v1/query?query=${encodeURIComponent(query)}`;
  const { status, body } = await region.call<{ data: { result: Sample[] } }>('GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.result;
}

const advance = (region: Region, advanceMs: number) => region.call('PUT', '/lab/clock', { advanceMs });

test('central monitoring shows what machines use, minute by minute, from its activation on', async () => {
  await using region = await startRegion();
  const datacenter = await addDatacenter(region, 'de/txl');
  const server = await addServer(region, datacenter, { name: 'web' });
  const id = server.split('/').at(-1);
  const otherDatacenter = await addDatacenter(region, 'de/fra');
  await addServer(region, otherDatacenter, { name: 'far' });
  await region.call('PUT', `/lab/machines/${id}/load`, { cpuPercent: 80, networkInBytesPerSecond: 1000 });
  await provideBuckets(region, 'measured');
  const { body } = await region.call('GET', '/monitoring/central');
  const central = body.items[0]?.id ?? '';
  await advance(region, 5 * minuteMs);
  assert.deepEqual(await ask(region, central, '{__name__=~".+"}'), [], 'nothing while it is off');

  const put = await region.call('PUT', `/monitoring/central/${central}`, { properties: { enabled: true } });
  assert.equal(put.status, 200, JSON.stringify(put.body));
  await advance(region, 2 * minuteMs);
  await advance(region, 3 * minuteMs);
  const [cpu, ...more] = await ask(region, central, 'instance_cpu_utilization_average');
  assert.deepEqual(more, [], 'only those of the region');
  assert.deepEqual(cpu?.value[1], '80');
  assert.equal(cpu?.metric.instance_id, id);
  assert.equal(cpu?.metric.instance_name, 'web');
  assert.equal(cpu?.metric.location, 'de/txl');
  const [bytes] = await ask(region, central, 'instance_network_in_bytes');
  assert.equal(bytes?.value[1], '60000');
  const [minutes] = await ask(region, central, 'count_over_time(instance_cpu_utilization_average[10m])');
  assert.ok(Number(minutes?.value[1]) >= 4, `${minutes?.value[1]} minutes`);

  const [objects] = await ask(region, central, 'bucket_objects');
  assert.deepEqual([objects?.metric.bucket, objects?.value[1]], ['measured', '0']);
  const [calls] = await ask(region, central, 'bucket_requests_total > 0');
  assert.equal(calls?.metric.bucket, 'measured');

  const [cores] = await ask(region, central, 'contract_resource_provisioned{resource="coresProvisioned"}');
  assert.equal(cores?.value[1], '2');
  const [limit] = await ask(region, central, 'contract_resource_limit{resource="coresProvisioned"}');
  const contracts = await region.call('GET', '/cloudapi/v6/contracts');
  const limits = contracts.body.items[0]?.properties.resourceLimits as { coresPerContract: number };
  assert.equal(Number(limit?.value[1]), limits.coresPerContract);

  await region.call('PUT', `/monitoring/central/${central}`, { properties: { enabled: false } });
  await advance(region, 10 * minuteMs);
  assert.deepEqual(await ask(region, central, 'instance_cpu_utilization_average'), [], 'nothing new since it is off');
});
