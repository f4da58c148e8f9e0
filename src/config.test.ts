// Settings from options and from a file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from './base/fault.ts';
import { configOf } from './config/config.ts';
import { products } from './products.ts';

const root = mkdtempSync(join(tmpdir(), 'cumulet-config-'));
after(() => rmSync(root, { recursive: true, force: true }));
const of = (options: Record<string, string>) => configOf(new Map(Object.entries(options)), products);

test('options win over the file, and the file over the defaults', () => {
  const file = join(root, 'c.json');
  writeFileSync(file, JSON.stringify({ port: 8080, pace: 'real', lab: false, domain: 'Cloud.Test' }));
  const config = of({ config: file, port: '9090' });
  assert.deepEqual(
    [config.gateway.port, config.operations.paceMs, config.products.lab, config.gateway.domain],
    [9090, 4000, { isServed: false }, 'cloud.test'],
  );
  assert.equal(config.operations.holdMs, 250);
});

test('another port than the usual one leaves the other listeners to the machine', () => {
  assert.deepEqual([of({}).gateway.port, of({}).gateway.securePort], [7070, 7443]);
  assert.equal(of({ port: '8080' }).gateway.securePort, 0);
  assert.equal(of({ port: '8080', 'https-port': '8443' }).gateway.securePort, 8443);
});

test('metrics are kept here unless a server is named, and so are their dashboards', () => {
  assert.deepEqual([of({}).products.monitoring, of({}).grafana], [{ engine: 'embedded' }, undefined]);
  const named = of({
    metrics: 'prometheus+http://u:p@db.example:8428/x',
    grafana: 'https://grafana.example/',
  });
  assert.deepEqual(named.products.monitoring, { engine: 'prometheus+http://u:p@db.example:8428/x' });
  assert.equal(named.grafana, 'https://grafana.example');
});

test('an unknown setting or an invalid value is named in the error', () => {
  const file = join(root, 'bad.json');
  const cases: [string | undefined, Record<string, string>, RegExp][] = [
    [undefined, { port: '99999' }, /--port expects a port \(0 to 65535\), not '99999'/],
    [undefined, { port: '' }, /--port expects/],
    [undefined, { 'public-url': 'example.com' }, /--public-url expects http\(s\):/],
    [undefined, { owner: 'no-address' }, /--owner expects an e-mail address/],
    [undefined, { data: '' }, /--data expects a folder/],
    [
      undefined,
      { state: 'mysql://u:secret@h' },
      /--state expects sqlite:FOLDER or postgres\(ql\):\/\/…, not 'mysql:…'/,
    ],
    [undefined, { metrics: 'memory' }, /--metrics expects embedded, here or prometheus\+http\(s\):\/\/…, not 'memory'/],
    [undefined, { metrics: 'http://u:secret@h:9090' }, /--metrics expects .*, not 'http:\/\/…@h:9090'/],
    [undefined, { metrics: 'prometheus+http://' }, /--metrics expects/],
    [
      undefined,
      { logs: 'loki://h' },
      /expects embedded, here, loki\+http\(s\):\/\/… or victorialogs\+http\(s\):\/\/…,/,
    ],
    [undefined, { objects: 's3://h' }, /--objects expects embedded, here or s3\+http\(s\):\/\/…, not 's3:\/\/h'/],
    [
      undefined,
      { streaming: 'kafka+jvm:' },
      /embedded, here, kafka\+jvm:FOLDER, kafka\+list:FILE or kafka:\/\/HOST:PORT,…, not/,
    ],
    [undefined, { inference: 'here' }, /--inference expects embedded or openai\+http\(s\):\/\/…, not 'here'/],
    [undefined, { grafana: 'grafana.example' }, /--grafana expects http\(s\):/],
    [undefined, { config: join(root, 'none.json') }, /^The config file .*none\.json does not exist\.$/],
    [undefined, { config: root }, /^The config file .* is a folder, not a file\.$/],
    ['{"prot": 1}', { config: file }, /bad\.json can't be used: There is no setting prot\. Known: data, state/],
    ['{"__proto__": 1}', { config: file }, /There is no setting __proto__/],
    ['[1]', { config: file }, /bad\.json can't be used: it must be a JSON object/],
    ['{"port": 1', { config: file }, /bad\.json can't be used: it is not valid JSON/],
    ['{"lab": "perhaps"}', { config: file }, /bad\.json can't be used: lab expects true or false, not 'perhaps'\.$/],
  ];
  for (const [text, options, message] of cases) {
    if (text !== undefined) writeFileSync(file, text);
    assert.throws(
      () => of(options),
      (error) => error instanceof Fault && message.test(error.message),
      String(message),
    );
  }
});
