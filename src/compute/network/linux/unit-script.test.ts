// Changes of a unit: only what differs is touched, and filters come before interfaces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Unit } from './unit.ts';
import { unitScript } from './unit-script.ts';

const place = { enter: 'nsenter -t 7 -n', namespace: '7', isRouter: false };
const link = { device: 'ens6', port: 'np1', bridge: 'br1', mac: '02:01:00:00:00:01' };
const unit = (more: Partial<Unit> = {}): Unit => ({
  key: 'machine-a',
  links: [link],
  addresses: [{ device: 'ens6', address: '10.7.0.11/24' }],
  routes: [{ target: '10.7.0.0/24', device: 'ens6', source: '10.7.0.11' }],
  sourceRules: [],
  filter: 'table inet cumulet',
  ...more,
});

test('an unchanged unit needs no command', () => {
  assert.equal(unitScript(unit(), unit(), place), '');
});

test('a new unit gets its filter before its interface is up', () => {
  const script = unitScript(undefined, unit(), place);
  assert.ok(script.indexOf('nft -f') < script.indexOf('link add np1'));
  assert.ok(script.indexOf('addr replace 10.7.0.11/24') < script.indexOf('link set ens6 up'));
});

test('another address leaves the interface alone', () => {
  const addresses = [{ device: 'ens6', address: '10.7.0.12/24' }];
  const script = unitScript(unit(), unit({ addresses }), place);
  assert.match(script, /addr del 10\.7\.0\.11\/24 dev ens6\naddr replace 10\.7\.0\.12\/24 dev ens6/);
  assert.doesNotMatch(script, /link|nft|route (?:del|replace)/);
});

test('an interface on another LAN is created again with all its addresses and routes', () => {
  const script = unitScript(unit(), unit({ links: [{ ...link, bridge: 'br2' }] }), place);
  for (const part of ['link del np1', 'master br2', 'addr replace 10.7.0.11/24', 'route replace 10.7.0.0/24'])
    assert.ok(script.includes(part), part);
  assert.doesNotMatch(script, /addr del|route del/);
});
