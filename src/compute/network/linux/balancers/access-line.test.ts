// Lines as HAProxy 2.6 writes them.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { accessIn } from './access-line.ts';

const balancer = 'datacenter balancer rule 203.0.113.7 40000 198.18.0.9 80';
const http = `access 1795085230564 applicationloadbalancer ${balancer}`;

suite('access lines of HAProxy', () => {
  test('an HTTP request has its target, status, rule and encoded texts', () => {
    const line = `${http} 10.7.0.11 8080 -- 87 325 2 200 all%20%22of%22%20them%2C%20%C3%A4 GET shop.example%3A80 /web`;
    assert.deepEqual(accessIn(line), {
      ...{ timeMs: 1_795_085_230_564, kind: 'applicationloadbalancer' },
      ...{ datacenterId: 'datacenter', balancerId: 'balancer', rule: 'rule' },
      ...{ source: '203.0.113.7', sourcePort: 40_000, target: '198.18.0.9', targetPort: 80 },
      ...{ server: { ip: '10.7.0.11', port: 8080 }, isAnswer: false },
      ...{ bytesIn: 87, bytesOut: 325, durationMs: 2 },
      http: { status: 200, rule: 'all "of" them, ä', method: 'GET', host: 'shop.example:80', path: '/web' },
    });
  });

  test('a TCP connection has no HTTP request', () => {
    const line = `access 1795085230564 networkloadbalancer ${balancer} 10.7.0.11 8080 cD 10 20 50003`;
    const { http: request, server, durationMs } = accessIn(line) ?? {};
    assert.deepEqual([request, server, durationMs], [undefined, { ip: '10.7.0.11', port: 8080 }, 50_003]);
  });

  test('a request that reached no target has none, also if HAProxy has chosen one', () => {
    for (const [server, ending] of [
      ['- -', 'SC'],
      ['10.7.0.11 8080', 'SC'],
      ['10.7.0.11 8080', 'sQ'],
    ]) {
      const access = accessIn(`${http} ${server} ${ending} 80 217 2000 503 all GET shop.example /`);
      assert.deepEqual([access?.server, access?.isAnswer, access?.http?.status], [null, false, 503]);
    }
    const answered = accessIn(`${http} - - LR 81 83 0 418 closed GET - /closed`);
    assert.deepEqual([answered?.server, answered?.isAnswer, answered?.http?.host], [null, true, null]);
  });

  test('an invalid request has no method, host, path and rule', () => {
    assert.deepEqual(accessIn(`${http} - - PR 5 187 -1 400 - - - <BADREQ>`)?.http, {
      ...{ status: 400, rule: null, method: null, host: null, path: null },
    });
    assert.deepEqual(accessIn(`${http} - - CR 0 0 -1 0 - - - <BADREQ>`), {
      ...accessIn(`${http} - - CR 0 0 0 -1 - - - <BADREQ>`),
    });
  });

  test('a host of other bytes than UTF-8 stays encoded, and a line that was cut keeps the rest', () => {
    assert.equal(accessIn(`${http} - - LR 1 1 1 200 all GET %FF /`)?.http?.host, '%FF');
    const { method, host, path } = accessIn(`${http} - - LR 1 1 1 200 all GET sho`)?.http ?? {};
    assert.deepEqual([method, host, path], ['GET', 'sho', null]);
  });

  test('other lines are not accesses', () => {
    for (const line of ['', 'Server rule/10.7.0.11:80 is DOWN, reason: Layer4 timeout', http])
      assert.equal(accessIn(line), undefined);
  });
});
