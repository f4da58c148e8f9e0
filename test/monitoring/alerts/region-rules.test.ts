// The alert rules and the dashboard for a region itself (kit/monitoring): real samples of /metrics are pushed to a
// pipeline of a region, and its own PromQL evaluates all expressions.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { pass, readOf, rulesOf } from '../../harness/alerts.ts';
import { addPipeline, type MetricPipeline, plainText } from '../../harness/metrics.ts';
import { type Nodes, startNodes } from '../../harness/nodes.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { expect } from '../../sweep/api.ts';

const kit = (name: string): string => readFileSync(join(import.meta.dirname, '../../../kit/monitoring', name), 'utf8');
const rules = kit('rules.yaml');
const dashboard = JSON.parse(kit('grafana.json')) as { panels: { title: string; targets: { expr: string }[] }[] };
const stepMs = 30_000;

interface Rules {
  data: { groups: { rules: { name: string; query: string; health: string; lastError?: string }[] }[] };
}
interface Alerts {
  data: { alerts: { labels: Record<string, string>; state: string }[] };
}

suite('alerts and a dashboard for the region itself', () => {
  let region: Region; // on SQLite or PostgreSQL
  let nodes: Nodes; // on PostgreSQL
  let pipeline: MetricPipeline;
  let scraped = '';
  before(async () => {
    [region, nodes] = await Promise.all([startRegion(), startNodes(1)]);
    pipeline = await addPipeline(region);
    await expect(region.call('POST', `${rulesOf(pipeline.id)}/cumulet`, rules), 200);
    for (let step = 0; step < 12; step++) {
      scraped = `${await scrape(region, 'first')}${await scrape(nodes.all[0] as Region, 'second')}`;
      const faults = `cumulet_requests_total{job="cumulet",instance="first",service="cloudapi",status="500"} ${step}\n`;
      const up = 'up{job="cumulet",instance="first"} 1\nup{job="cumulet",instance="second"} 0\n';
      assert.equal((await pipeline.push(scraped + faults + up, plainText)).status, 204);
      await pass(region, stepMs);
    }
  });
  after(async () => {
    await region.stop();
    await nodes[Symbol.asyncDispose]();
  });

  const assertKnown = (expression: string, where: string): void => {
    const names = expression.match(/\b(?:cumulet|process)_\w+/g) ?? [];
    for (const name of names) assert.match(scraped, new RegExp(`^${name}[{ ]`, 'm'), `${where}: ${name}`);
  };

  test('[GEN-10] all rules are evaluated without errors, on metrics that nodes expose', async () => {
    const { body } = await region.call<Rules>('GET', `${readOf(pipeline.id)}/rules`);
    const all = body.data.groups.flatMap((group) => group.rules);
    assert.ok(all.length > 15);
    for (const { name, query, health, lastError } of all) {
      assert.deepEqual([name, health, lastError ?? ''], [name, 'ok', '']);
      assertKnown(query, name);
    }
  });

  test('[GEN-10] a node that is down, and calls that fail, raise alerts', async () => {
    const { body } = await region.call<Alerts>('GET', `${readOf(pipeline.id)}/alerts`);
    const firing = body.data.alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => `${labels.alertname} ${labels.instance} ${labels.service ?? ''}`.trim());
    for (const expected of ['CumuletNodeDown second', 'CumuletServerErrors first cloudapi'])
      assert.ok(firing.includes(expected), `${expected} in ${firing}`);
    for (const healthy of ['NotReady', 'StateUnreachable', 'StateDamaged', 'CommitsFail', 'OperationsFail'])
      assert.ok(!firing.some((one) => one.includes(healthy)), `${healthy} in ${firing}`);
  });

  test('[GEN-10] each alert has an entry in the runbook', () => {
    const runbook = readFileSync(join(import.meta.dirname, '../../../docs/runbook.md'), 'utf8');
    const anchors = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [, anchor = ''] of rules.matchAll(/docs\/runbook\.md#(\S+)/g))
      assert.ok(anchors.includes(anchor), anchor);
    for (const [, alert = ''] of rules.matchAll(/alert: (\S+)/g)) assert.ok(runbook.includes(alert), alert);
  });

  test('[GEN-10] all panels of the dashboard show values', async () => {
    for (const { title, targets } of dashboard.panels)
      for (const { expr } of targets) {
        assertKnown(expr, title);
        const query = expr.replaceAll('$__rate_interval', '2m').replaceAll('$instance', '.*');
        const found = await pipeline.vector(query);
        assert.ok(found.length > 0, `${title}: ${query}`);
      }
  });
});

// The samples of /metrics with the labels of a scrape.
async function scrape({ url }: Region, instance: string): Promise<string> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const labels = `job="cumulet",instance="${instance}"`;
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/^(\w+)(?:\{(.*)\})? /, (_, name, own) => `${name}{${labels}${own ? `,${own}` : ''}} `))
    .join('\n')
    .concat('\n');
}
