// The HTTP rules of application load balancers and the target groups they forward to, black box.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, assertRefused, done, read } from '../../harness/landscape.ts';
import { addGroup, addPerson, core } from '../../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../../harness/region.ts';
import { makeSample } from '../../harness/samples.ts';

suite('HTTP rules and target groups', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const listenerIp = '10.12.118.224';
  const applicationRule = { name: 'web', protocol: 'HTTP', listenerIp, listenerPort: 80 };
  const addGroupOfTargets = async (more: object = {}): Promise<ResourceBody> =>
    createDone(region, `${core}/targetgroups`, {
      properties: { name: 'pool', algorithm: 'RANDOM', protocol: 'HTTP', ...more },
    });

  async function addBalancer(): Promise<{ path: string; id: string }> {
    const datacenter = await addDatacenter(region);
    for (let count = 0; count < 2; count++) await createDone(region, `${datacenter}/lans`, {});
    const properties = { name: 'one', listenerLan: 1, targetLan: 2, ips: [listenerIp] };
    const { id } = await createDone(region, `${datacenter}/applicationloadbalancers`, { properties });
    return { path: `${datacenter}/applicationloadbalancers/${id}`, id };
  }

  test('[CORE-20] HTTP rules: required and refused properties of each type', async () => {
    const { path } = await addBalancer();
    const place = `${path}/forwardingrules`;
    const { id: group } = await addGroupOfTargets();
    const post = (httpRules: object[]) => region.call('POST', place, { properties: { ...applicationRule, httpRules } });
    const at = 'properties.httpRules.[';
    assertRefused(
      await post([
        { name: 'a', type: 'FORWARD', statusCode: 200 },
        { name: 'a', type: 'REDIRECT', statusCode: 304 },
        { name: 'b', type: 'STATIC', statusCode: 600, targetGroup: group },
        { name: 'c', type: 'REDIRECT', location: 'x', responseMessage: 'x' },
        { name: 'd', type: 'FORWARD', targetGroup: group, dropQuery: true },
      ]),
      `${at}0].targetGroup] Attribute is required for type FORWARD`,
      `${at}0].statusCode] Attribute not allowed for type FORWARD`,
      `${at}1].name] Another HTTP rule has the name 'a'`,
      `${at}1].location] Attribute is required for type REDIRECT`,
      `${at}1].statusCode] Attribute value 304 not allowed. Expected one of [301, 302, 303, 307, 308]`,
      `${at}2].responseMessage] Attribute is required for type STATIC`,
      `${at}2].statusCode] Attribute value 600 not allowed. Expected one of [200 to 599]`,
      `${at}2].targetGroup] Attribute not allowed for type STATIC`,
      `${at}3].responseMessage] Attribute not allowed for type REDIRECT`,
      `${at}4].dropQuery] Attribute not allowed for type FORWARD`,
    );
    const conditions = [
      { type: 'PATH', condition: 'EQUALS', key: 'k', value: '/' },
      { type: 'HEADER', value: 'x' },
      { type: 'HOST', condition: 'CONTAINS' },
      { type: 'COOKIE', condition: 'EXISTS', key: 'k', value: 'v' },
      { type: 'SOURCE_IP', condition: 'CONTAINS', value: '10.0.0.0/33' },
      { type: 'PATH', condition: 'MATCHES', value: '([' },
      { type: 'PATH', condition: 'MATCHES', value: '(?<=x)y' },
      { type: 'PATH', condition: 'MATCHES', value: '^/a(b|c)*$' },
    ];
    const refused = await post([{ name: 'a', type: 'STATIC', responseMessage: 'x', conditions }]);
    assert.equal(refused.body.messages.length, 8, 'the last one is good');
    assertRefused(
      refused,
      `${at}0].conditions.[0].key] Attribute not allowed for a condition of type PATH`,
      `${at}0].conditions.[1].condition] Attribute is required for a condition of type HEADER`,
      `${at}0].conditions.[2].value] Attribute is required with CONTAINS`,
      `${at}0].conditions.[3].value] Attribute not allowed with EXISTS`,
      `${at}0].conditions.[4].condition] A condition of type SOURCE_IP only allows EQUALS`,
      `${at}0].conditions.[4].value] Expected an address or a network`,
      `${at}0].conditions.[5].value] Expected a regular expression`,
      `${at}0].conditions.[6].value] Expected a regular expression`,
    );
    const pattern = { type: 'PATH', condition: 'MATCHES', value: '^/[a-z]+$' };
    const named = ['a', 'b'].map((name) => ({ name, type: 'STATIC', responseMessage: 'x' }));
    assertRefused(
      await post(named.map((one) => ({ ...one, conditions: Array.from({ length: 60 }, () => pattern) }))),
      `${at}1].conditions.[40]] A forwarding rule has at most 100 conditions with MATCHES`,
    );
    const certificate = (await makeSample(region, 'certificate')).split('/').at(-1) ?? '';
    const rule = await createDone(region, place, {
      properties: {
        ...applicationRule,
        serverCertificates: [certificate],
        httpRules: [
          {
            name: 'away',
            type: 'REDIRECT',
            location: 'www.example.com',
            conditions: [{ type: 'header', condition: 'equals', value: 'value' }],
          },
          { name: 'no', type: 'STATIC', responseMessage: 'none' },
          {
            name: 'on',
            type: 'FORWARD',
            targetGroup: group,
            conditions: [{ type: 'SOURCE_IP', condition: null, value: '10.12.118.224/24' }],
          },
        ],
      },
    });
    const none = {
      targetGroup: null,
      dropQuery: null,
      location: null,
      statusCode: null,
      responseMessage: null,
      contentType: null,
      conditions: [],
    };
    const negate = false;
    assert.deepEqual(rule.properties, {
      ...applicationRule,
      clientTimeout: 50_000,
      serverCertificates: [certificate],
      httpRules: [
        {
          ...none,
          name: 'away',
          type: 'REDIRECT',
          dropQuery: false,
          location: 'www.example.com',
          statusCode: 301,
          conditions: [{ type: 'HEADER', condition: 'EQUALS', negate, key: null, value: 'value' }],
        },
        { ...none, name: 'no', type: 'STATIC', statusCode: 503, responseMessage: 'none' },
        {
          ...none,
          name: 'on',
          type: 'FORWARD',
          targetGroup: group,
          conditions: [{ type: 'SOURCE_IP', condition: null, negate, key: null, value: '10.12.118.224/24' }],
        },
      ],
    });
  });

  test('[CORE-20] a target group: defaults, changes, and no deletion while a rule forwards to it', async () => {
    const groups = `${core}/targetgroups`;
    assertRefused(
      await region.call('POST', groups, {
        properties: { protocol: 'TCP', targets: [{ ip: 'x', weight: -1 }], httpHealthCheck: { method: 'GET' } },
      }),
      'properties.name] Attribute is required',
      'properties.algorithm] Attribute is required',
      '109 [(root).properties.protocol]',
      "properties.targets.[0].ip] Attribute value 'x' not allowed",
      'properties.targets.[0].port] Attribute is required',
      'properties.targets.[0].weight] Attribute value -1 is below the minimum of 0',
      'properties.httpHealthCheck.matchType] Attribute is required',
      'properties.httpHealthCheck.response] Attribute is required',
    );
    const post = (httpHealthCheck: object) =>
      region.call('POST', groups, {
        properties: { name: 'pool', algorithm: 'RANDOM', protocol: 'HTTP', httpHealthCheck },
      });
    assertRefused(
      await post({ path: 'nopath', matchType: 'STATUS_CODE', response: 'zz' }),
      "properties.httpHealthCheck.path] Attribute value 'nopath' not allowed. Expected a path",
      "properties.httpHealthCheck.response] 'zz' is not a status code",
    );
    assertRefused(
      await post({ matchType: 'RESPONSE_BODY', response: '([', regex: true }),
      'properties.httpHealthCheck.response] Expected a regular expression',
    );
    for (const good of [
      { matchType: 'RESPONSE_BODY', response: 'zz', path: '../.' },
      { matchType: 'STATUS_CODE', response: '200-299,304' },
      { matchType: 'STATUS_CODE', response: '2..', regex: true },
    ])
      assert.equal((await post(good)).status, 202);
    const group = await addGroupOfTargets({
      targets: [{ ip: '10.0.0.9', port: 80 }],
      httpHealthCheck: { matchType: 'STATUS_CODE', response: '200' },
    });
    assert.equal(group.type, 'target-group');
    assert.deepEqual(group.properties, {
      name: 'pool',
      algorithm: 'RANDOM',
      protocol: 'HTTP',
      protocolVersion: 'HTTP1',
      targets: [
        {
          ip: '10.0.0.9',
          port: 80,
          weight: 1,
          proxyProtocol: 'none',
          healthCheckEnabled: true,
          maintenanceEnabled: false,
        },
      ],
      healthCheck: { checkTimeout: null, checkInterval: 2000, retries: 3 },
      httpHealthCheck: {
        path: '/',
        method: 'GET',
        matchType: 'STATUS_CODE',
        response: '200',
        regex: false,
        negate: false,
      },
    });
    const path = `${groups}/${group.id}`;
    await done(region, 'PATCH', path, { algorithm: 'SOURCE_IP', healthCheck: { retries: 5 } });
    await done(region, 'PATCH', path, { healthCheck: { checkTimeout: 100 } });
    const { healthCheck, algorithm } = (await read(region, path)).properties;
    assert.deepEqual([algorithm, healthCheck], ['SOURCE_IP', { checkTimeout: 100, checkInterval: 2000, retries: 5 }]);
    const { path: balancer, id: balancerId } = await addBalancer();
    const place = `${balancer}/forwardingrules`;
    const forward = { name: 'on', type: 'FORWARD', targetGroup: group.id };
    const properties = { ...applicationRule, httpRules: [forward] };
    const strange = '00000000-0000-7000-8000-000000000000';
    assertRefused(
      await region.call('POST', place, {
        properties: { ...properties, httpRules: [{ ...forward, targetGroup: strange }] },
      }),
      `properties.httpRules.[0].targetGroup] Target group ${strange} does not exist`,
    );
    const rule = await createDone(region, place, { properties });
    assertRefused(
      await region.call('DELETE', path),
      `Target group ${group.id} can't be deleted: forwarding rule ${rule.id} of application load ` +
        `balancer ${balancerId} forwards to it`,
    );
    const other = await addGroupOfTargets();
    const swapped = [forward, { ...forward, name: 'too', targetGroup: other.id }];
    await done(region, 'PATCH', `${place}/${rule.id}`, { httpRules: swapped });
    assertRefused(await region.call('DELETE', `${groups}/${other.id}`), "can't be deleted");
    await done(region, 'PATCH', `${place}/${rule.id}`, { httpRules: [{ ...forward, targetGroup: other.id }] });
    await done(region, 'DELETE', path);
    await done(region, 'DELETE', balancer);
    await done(region, 'DELETE', `${groups}/${other.id}`);
  });

  test('[CORE-20] a rule and a concurrent removal of its target group: never a rule without its group', async () => {
    const { path } = await addBalancer();
    const race = async (listenerPort: number): Promise<void> => {
      const { id } = await addGroupOfTargets();
      const httpRules = [{ name: 'on', type: 'FORWARD', targetGroup: id }];
      const properties = { ...applicationRule, listenerPort, httpRules };
      const add = () => region.call('POST', `${path}/forwardingrules`, { properties });
      const remove = () => region.call('DELETE', `${core}/targetgroups/${id}`);
      const isFirst = listenerPort % 2 === 0;
      const answers = await Promise.all(isFirst ? [add(), remove()] : [remove(), add()]);
      const rule = answers[isFirst ? 0 : 1] as (typeof answers)[0];
      for (const { status, headers } of answers) if (status === 202) await waitRequest(region, headers.location);
      const { status } = await region.call('GET', `${core}/targetgroups/${id}`);
      assert.equal(status, rule.status === 202 ? 200 : 404, JSON.stringify(answers.map(({ body }) => body)));
    };
    await Promise.all(Array.from({ length: 10 }, (_, at) => race(8000 + at)));
  });

  test('[CORE-20] a target group of another user can neither be seen nor forwarded to', async () => {
    const maker = await addPerson(region);
    await addGroup(region, ['createDataCenter'], [maker.user]);
    const { token } = maker;
    const group = await addGroupOfTargets();
    assert.equal((await region.call('GET', `${core}/targetgroups/${group.id}`, undefined, { token })).status, 404);
    const properties = { name: 'own', location: 'de/txl' };
    const { id } = await createDone(region, `${core}/datacenters`, { properties }, { token });
    const own = `${core}/datacenters/${id}`;
    for (let count = 0; count < 2; count++) await createDone(region, `${own}/lans`, {}, { token });
    const httpRules = [{ name: 'on', type: 'FORWARD', targetGroup: group.id }];
    const rule = { properties: { ...applicationRule, httpRules } };
    const answer = await region.call(
      'POST',
      `${own}/applicationloadbalancers`,
      {
        properties: { name: 'x', listenerLan: 1, targetLan: 2, ips: [listenerIp] },
        entities: { forwardingrules: { items: [rule] } },
      },
      { token },
    );
    assertRefused(answer, `Target group ${group.id} does not exist`);
    const powerless = await addPerson(region);
    const body = { properties: { name: 'pool', algorithm: 'RANDOM', protocol: 'HTTP' } };
    const refused = await region.call('POST', `${core}/targetgroups`, body, { token: powerless.token });
    assert.equal(refused.status, 403);
  });
});
