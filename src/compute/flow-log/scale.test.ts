// An hour of traffic (a day with --full) of 100 NICs with 1,000 flows in each interval of ten minutes. The objects have
// exactly the sent records; the expectation is computed here, from the sent packets alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFull } from '../../testing/seed.ts';
import { Capturing } from './testing-capturing.ts';

const nicCount = 100;
const flowsEach = 1000;
const intervals = isFull ? 144 : 4;
const intervalMs = 600_000;
const start = 1_800_000_000_000;
const firstPort = 20_000;
const outside = '203.0.113.7';
const ips = Array.from({ length: nicCount }, (_, at) => `198.18.0.${at + 1}`);
const isFiltered = (at: number): boolean => at % 2 === 1; // its packets come from outside, and are rejected
const packetsOf = (interval: number, at: number): number => 1 + ((interval * 7 + at) % 13);

test(`[FLOW-03] [FLOW-04] ${intervals} intervals of ${nicCount} NICs with ${flowsEach} flows, each recorded once`, async (t) => {
  const process = new Capturing(t);
  await process.start(start);
  const nics = ips.map((ip, at) => ({ ip, firewallActive: isFiltered(at) }));
  const ids = await process.tell<string[]>({ do: 'make', nics });
  for (let interval = 0; interval < intervals; interval++) {
    await Promise.all(ids.map((id, at) => sendAll(process, id, interval, at)));
    assert.equal(
      await process.tell({ do: 'move', to: start + (interval + 1) * intervalMs }),
      (interval + 1) * nicCount,
    );
  }
  const seen = new Set<string>(); // interval and NIC
  for (const [key, records] of process.objects()) {
    const at = ids.indexOf(String(records[0]?.[2]));
    const interval = (Number(records[0]?.[10]) * 1000 - start) / intervalMs;
    assert.ok(at >= 0 && Number.isInteger(interval) && interval < intervals, `${key} belongs to no NIC`);
    assert.ok(!seen.has(`${interval} ${at}`), `${key} exists twice`);
    seen.add(`${interval} ${at}`);
    assertRecords(records, String(ids[at]), interval, at);
  }
  assert.equal(seen.size, intervals * nicCount);
});

function sendAll(process: Capturing, id: string, interval: number, at: number): Promise<unknown> {
  const packets = packetsOf(interval, at);
  const packet = { sourcePort: firstPort, packets, bytes: packets * 100 };
  return isFiltered(at)
    ? process.tell({ do: 'send', from: { ip: outside }, to: String(ips[at]), packet, count: flowsEach })
    : process.tell({ do: 'send', from: id, to: outside, packet, count: flowsEach });
}

function assertRecords(records: string[][], id: string, interval: number, at: number): void {
  const packets = packetsOf(interval, at);
  const second = (start + interval * intervalMs) / 1000;
  const [source, target, action] = isFiltered(at) ? [outside, ips[at], 'REJECT'] : [ips[at], outside, 'ACCEPT'];
  const ports = records.map((fields) => Number(fields[5])).sort((one, other) => one - other);
  assert.deepEqual(
    ports,
    Array.from({ length: flowsEach }, (_, flow) => firstPort + flow),
  );
  const rest = `${packets} ${packets * 100} ${second} ${second} ${action} OK`;
  for (const fields of records)
    assert.equal(fields.join(' '), `2 1 ${id} ${source} ${target} ${fields[5]} 80 6 ${rest}`);
}
