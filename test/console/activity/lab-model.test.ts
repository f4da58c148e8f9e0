// The model of the lab's pages: jumps of the clock, faults, loads and packets.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Landscape } from '../../../console/compute/diagram/landscape.ts';
import {
  bytesText,
  faultOf,
  jumpTo,
  loadOf,
  localText,
  packetOf,
  usualSending,
  valuesOfLoad,
} from '../../../console/lab/lab-model.ts';

suite('the lab in the console', () => {
  test('the clock moves to a later time, and never back', () => {
    const now = Date.parse('2026-11-17T12:00');
    assert.equal(jumpTo(localText(now + 3_600_000), now), 3_600_000);
    assert.match(String(jumpTo(localText(now - 60_000), now)), /can’t be moved back/);
    assert.match(String(jumpTo('', now)), /Choose/);
  });

  test('a fault is for the own contract, unless it is for all', () => {
    const values = { kind: 'server', step: 'create.*', mode: 'fail', times: 2, when: 'after' };
    assert.deepEqual(faultOf(values, 7), { ...values, contract: 7 });
    assert.deepEqual(faultOf({ ...values, everybody: true, message: 'No' }, 7), { ...values, message: 'No' });
  });

  test('a load is shown in kilobytes, and empty fields are not set', () => {
    assert.deepEqual(loadOf({ cpuPercent: 80, inKb: 1.5 }), { cpuPercent: 80, networkInBytesPerSecond: 1500 });
    assert.deepEqual(valuesOfLoad({ cpuPercent: 80, networkOutBytesPerSecond: 200 }), { cpuPercent: 80, outKb: 0.2 });
    assert.deepEqual([bytesText(0), bytesText(12_345), bytesText(5e9)], ['0 bytes', '12.3 kB', '5 GB']);
  });

  test('a packet has a NIC or an address as its source, and the address of a NIC or another one as its target', () => {
    const nics = [{ id: 'N', ips: ['10.0.0.5', '10.0.0.6'] }];
    const landscape = { servers: [{ nics }] } as unknown as Landscape;
    assert.deepEqual(packetOf({ ...usualSending, to: 'N' }, landscape), {
      from: { address: '203.0.113.7' },
      to: { address: '10.0.0.5', port: 443 },
      protocol: 'TCP',
    });
    assert.deepEqual(
      packetOf({ ...usualSending, from: 'N', toAddress: ' 8.8.8.8 ', protocol: 'ICMP', path: '/x' }, landscape),
      { from: { nicId: 'N' }, to: { address: '8.8.8.8' }, protocol: 'ICMP' },
    );
    const many = packetOf({ ...usualSending, toAddress: '1.1.1.1', path: '/x', count: '3' }, landscape);
    assert.deepEqual([many.count, many.sourcePortStep, many.http], [3, 1, { method: 'GET', path: '/x' }]);
  });
});
