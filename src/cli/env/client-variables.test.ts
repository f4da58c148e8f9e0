// Which variables each method sets and unsets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allVariables, configFile, type Facts, variables } from './client-variables.ts';

const facts: Facts = {
  gateway: 'http://127.0.0.1:7070',
  proxy: 'http://127.0.0.1:7070',
  token: 'T',
  bundle: '/b.pem',
  authority: '/a.pem',
  configFile: '/c.yaml',
  direct: 'localhost',
  behindProxy: false,
};

test('by endpoint, and variables that lead elsewhere are unset', () => {
  const { set, unset } = variables('endpoint', facts);
  assert.deepEqual(set, {
    IONOS_API_URL: facts.gateway,
    IONOS_API_URL_CERT: facts.gateway,
    IONOS_TOKEN: 'T',
  });
  for (const name of ['IONOS_USERNAME', 'IONOS_CONFIG_FILE', 'IONOS_API_URL_LOGGING']) assert.ok(unset.includes(name));
  assert.equal(variables('endpoint', { ...facts, behindProxy: true }).set.no_proxy, 'localhost');
});

test('by proxy, without any endpoint', () => {
  const { set, unset } = variables('proxy', facts);
  assert.ok(unset.includes('IONOS_API_URL') && !('IONOS_API_URL' in set));
  assert.equal(set.NODE_EXTRA_CA_CERTS, '/a.pem');
  for (const name of ['SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE', 'AWS_CA_BUNDLE'])
    assert.equal(set[name], '/b.pem', name);
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'IONOS_HTTP_PROXY']) assert.equal(set[name], facts.proxy, name);
});

test("clients of OpenAI's API are pointed here only on request", () => {
  const { set, unset } = variables('endpoint', facts);
  for (const name of ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_ORG_ID'])
    assert.ok(!(name in set) && !unset.includes(name), name);
  const withOpenAi = variables('proxy', { ...facts, openai: true });
  assert.equal(withOpenAi.set.OPENAI_BASE_URL, 'http://127.0.0.1:7070/inference/v1');
  assert.equal(withOpenAi.set.OPENAI_API_KEY, 'T');
  assert.ok(withOpenAi.unset.includes('OPENAI_ORG_ID'));
  const all = new Set(allVariables());
  for (const name of [...Object.keys(withOpenAi.set), ...withOpenAi.unset]) assert.ok(all.has(name), name);
});

test('by file, and everything can be undone', () => {
  const { set, unset } = variables('config', facts);
  assert.deepEqual(set, { IONOS_CONFIG_FILE: '/c.yaml', IONOS_TOKEN: 'T' });
  assert.ok(unset.includes('IONOS_API_URL'));
  const all = new Set(allVariables());
  for (const method of ['endpoint', 'proxy', 'config'] as const)
    for (const name of Object.keys(variables(method, { ...facts, behindProxy: true }).set))
      assert.ok(all.has(name), name);
  const text = configFile(
    facts.gateway,
    'T"x',
    '/data',
    ['de-fra', 'de-fra-2'],
    [
      { name: 'cloud', path: '/cloudapi/v6' },
      { name: 'monitoring', path: '/monitoring', isRegional: true },
    ],
  );
  assert.match(text, /^version: 1\.0$/m);
  assert.match(text, /token: "T\\"x"/);
  const regional = ['fra/monitoring"\n {12}location: "de/fra"', 'fra-2/monitoring"\n {12}location: "de/fra/2"'];
  for (const one of regional) assert.match(text, new RegExp(`- name: "http://127.0.0.1:7070/de-${one}`));
  assert.match(text, /- name: cloud\n {8}endpoints:\n {10}- name: "http:\/\/127\.0\.0\.1:7070\/cloudapi\/v6"/);
});
