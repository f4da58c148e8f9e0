// The network of real machines in a browser: the metrics of a load balancer, live traffic in the diagram, and real
// packets. The machines are simulated; answers that only real machines give are replaced on their way to the page.
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../../src/testing/waiting.ts';
import { addBlock, addDatacenter, addServer, done, publicLan } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region } from '../../harness/region.ts';
import { assertAccessible } from '../harness/accessible.ts';
import { assertReadable, Desk, inLooks, looksOf, picture, signInBy, untilHolds } from '../harness/window.ts';

const pageOf = (path: string): string => `/console/resources/cloudapi${path.slice(core.length)}`;

async function addBalancer(region: Region): Promise<string> {
  const datacenter = await addDatacenter(region);
  const listenerLan = await publicLan(region, datacenter);
  const targetLan = Number((await createDone(region, `${datacenter}/lans`, { properties: { name: 'back' } })).id);
  const [ip] = await addBlock(region, 1);
  const targets = [1, 2].map((number) => ({ ip: `10.7.0.1${number}`, port: 8080, weight: 1 }));
  const listener = { listenerIp: ip, listenerPort: 80, algorithm: 'ROUND_ROBIN', protocol: 'TCP', targets };
  const { id } = await createDone(region, `${datacenter}/networkloadbalancers`, {
    properties: { name: 'front', ips: [ip], listenerLan, targetLan, lbPrivateIps: ['10.7.0.5/24'] },
    entities: { forwardingrules: { items: [{ properties: { name: 'web', ...listener } }] } },
  });
  return `${datacenter}/networkloadbalancers/${id}`;
}

async function pretendReal(page: Page): Promise<void> {
  await page.route('**/console/facts', async (route) => {
    const answer = await route.fetch();
    const facts = (await answer.json()) as { machines: object };
    await route.fulfill({ response: answer, json: { ...facts, machines: { ...facts.machines, isReal: true } } });
  });
}

// Values once a minute of the last hour, of the rule or of both targets.
async function answerQueries(page: Page): Promise<void> {
  await page.route('**/api/v1/query_range', async (route) => {
    const form = new URLSearchParams(route.request().postData() ?? '');
    const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(form.get(name))) as [
      number,
      number,
      number,
    ];
    const expression = form.get('query') ?? '';
    const count = Math.floor((end - start) / step) + 1;
    const isDown = (at: number): boolean => at > count * 0.4 && at < count * 0.5;
    const sampleOf = (at: number, number: number): number => {
      if (expression.includes('healthy')) return number === 1 && isDown(at) ? 0 : 1;
      return (20 + 10 * Math.sin(at / 9 + number)) * (expression.includes('bytes') ? 20_000 : 1);
    };
    const series = (metric: object, number: number) => ({
      metric,
      values: Array.from({ length: count }, (_, at) => [start + at * step, String(sampleOf(at, number))]),
    });
    const targets = ['10.7.0.11:8080', '10.7.0.12:8080'];
    const result = expression.includes('target!=')
      ? targets.map((target, at) => series({ target }, at))
      : [series({}, 0)];
    await route.fulfill({ json: { status: 'success', data: { resultType: 'matrix', result } } });
  });
}

suite('the network of real machines in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('the page of a load balancer has its metrics and the health of its targets', async (t) => {
    await desk.see(t, { viewport: { width: 1440, height: 900 } }, async (page) => {
      const { region, owner } = await desk.newContract();
      const balancer = await addBalancer(region);
      await signInBy(page, region, owner, `${pageOf(balancer)}?tab=metrics`);
      await page.getByText('Load balancers of this region are simulated, so there is nothing to measure.').waitFor();
      await pretendReal(page);
      await answerQueries(page);
      await page.reload();
      await page.getByText('Central monitoring collects the metrics of load balancers.').waitFor();
      await page.getByRole('button', { name: 'Switch on' }).click();
      await untilHolds(page, 'document.querySelectorAll(".chart canvas").length === 7');
      const health = page.getByRole('table', { name: 'Health of targets' });
      await health
        .getByRole('row')
        .filter({ hasText: '10.7.0.12:8080' })
        .getByText('healthy', { exact: true })
        .waitFor();
      await health.getByRole('img', { name: 'Always healthy' }).waitFor();
      await health.getByRole('img', { name: /^Not healthy from / }).waitFor();
      await inLooks(page, looksOf(1440, 390), async (look) => {
        await picture(page, `balancer-metrics-${look}`);
        await assertReadable(page, `the metrics of a load balancer, ${look}`);
        await assertAccessible(page, `the metrics of a load balancer, ${look}`);
      });
    });
  });

  test('the diagram shows live traffic of each interface, and nothing without traffic', async (t) => {
    await desk.see(t, { viewport: { width: 1440, height: 900 } }, async (page) => {
      const { region, owner } = await desk.newContract();
      const datacenter = await addDatacenter(region);
      const lan = await publicLan(region, datacenter);
      const nics = { items: [{ properties: { lan, name: 'eth0' } }, { properties: { lan: 2, name: 'eth1' } }] };
      await done(region, 'POST', `${datacenter}/lans`, { properties: { name: 'back' } });
      const server = await addServer(region, datacenter, { name: 'web' }, { nics });
      await addServer(region, datacenter, { name: 'db' }, { nics: { items: nics.items.slice(1) } });
      const { body } = await region.call('GET', `${server}/nics?depth=1`);
      const address = body.items.flatMap(({ properties }) => (properties.name === 'eth0' ? properties.ips : []))[0];
      await signInBy(page, region, owner, pageOf(datacenter));
      await page.getByRole('link', { name: /^web\s*1 core/ }).waitFor();
      await page.waitForResponse('**/console/traffic/*');
      await page.waitForResponse('**/console/traffic/*');
      await untilHolds(page, 'document.querySelectorAll(".dc-rate").length === 0');
      const flow = async (): Promise<number> => {
        const packet = { from: { address: '203.0.113.7' }, to: { address, port: 80 }, protocol: 'TCP' };
        await region.call('POST', '/lab/traffic', { ...packet, packets: 100, bytes: 150_000 });
        return page.locator('.dc-rate').count();
      };
      const isShown = (shown: number): boolean => shown === 1;
      await until('the rate of the interface is shown', flow, isShown);
      await inLooks(page, looksOf(1440, 390), async (look) => {
        await until('the rate is still shown', flow, isShown);
        await picture(page, `diagram-traffic-${look}`);
        await assertReadable(page, `live traffic, ${look}`);
        await assertAccessible(page, `live traffic, ${look}`);
      });
      await page.getByRole('button', { name: 'As list' }).click();
      const rate = page
        .getByRole('row')
        .filter({ hasText: 'web' })
        .getByText(/^in [\d.]+ [KM]?i?B\/s \(.*packets\/s\), out 0 B\/s/);
      const listed = async (): Promise<number> => {
        await flow();
        return rate.count();
      };
      await until('the list has the rate', listed, isShown);
      await untilHolds(page, 'document.querySelectorAll(".dc-list td").length > 0');
      await page.getByRole('button', { name: 'As list' }).click();
      await untilHolds(page, 'document.querySelectorAll(".dc-rate").length === 0');
    });
  });

  test('a real packet is sent next to the diagram and in the lab', async (t) => {
    await desk.see(t, { viewport: { width: 1440, height: 900 } }, async (page) => {
      const { region, owner } = await desk.newContract();
      const datacenter = await addDatacenter(region);
      const lan = await publicLan(region, datacenter);
      const nics = { items: [{ properties: { lan, name: 'eth0', firewallActive: true } }] };
      await addServer(region, datacenter, { name: 'web' }, { nics });
      const box = page.getByRole('checkbox', { name: 'Send a real packet' });
      await signInBy(page, region, owner, pageOf(datacenter));
      await page.getByRole('link', { name: /^web\s*1 core/ }).waitFor();
      await untilHolds(page, 'document.querySelectorAll(".dc-real").length === 0');
      await pretendReal(page);
      await page.route(`${region.url}/lab/traffic`, async (route) => {
        const packet = route.request().postDataJSON() as { real?: boolean };
        const answer = await route.fetch({ postData: { ...packet, real: false } });
        const detail =
          'Nothing has answered, and the packet has not arrived: a firewall or a missing route stopped it.';
        const real = packet.real ? { real: { result: 'REJECTED', detail } } : {};
        await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), ...real } });
      });
      await page.reload();
      await page.getByLabel('To', { exact: true }).selectOption({ index: 1 });
      await box.check();
      await page.getByRole('button', { name: 'Trace' }).click();
      await page.getByText('The real packet was stopped.').waitFor();
      await page.getByText('No, it is stopped.').waitFor();
      await inLooks(page, looksOf(1440, 390), async (look) => {
        await picture(page, `real-packet-${look}`);
        await assertReadable(page, `a real packet, ${look}`);
        await assertAccessible(page, `a real packet, ${look}`);
      });
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${region.url}/console/lab/traffic`);
      await page.getByLabel('To', { exact: true }).selectOption({ index: 1 });
      await box.check();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('The real packet was stopped.').waitFor();
      await inLooks(page, looksOf(1440, 390), async (look) => {
        await picture(page, `lab-real-packet-${look}`);
        await assertReadable(page, `a real packet of the lab, ${look}`);
        await assertAccessible(page, `a real packet of the lab, ${look}`);
      });
    });
  });
});
