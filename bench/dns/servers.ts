// The name servers that are compared: Knot DNS with zone files, and a region that has the same zones by transfer from
// it. Each is on the servers' core.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { knot } from '../../test/clients/dns/programs.ts';
import { ask } from '../../test/dns/query.ts';
import { end, freePort, pause, start } from '../harness/children.ts';
import { type Bench, Skipped } from '../harness/figure.ts';
import { startRegion } from '../harness/region.ts';
import { profiled } from '../harness/sides.ts';

export interface NameServer {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

const startLimitMs = 300_000;

export const zoneOf = (records: number): string => `z${records}.example`;
export const nameAt = (at: number, records: number): string => `host${at}.${zoneOf(records)}`;
const addressOf = (at: number): string => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;

// One worker, as ours has one thread.
export async function openKnot(folder: string, sizes: readonly number[]): Promise<NameServer> {
  const found = await knot();
  if (!found.path) throw new Skipped(found.skip);
  const port = await freePort();
  for (const records of sizes) writeFileSync(join(folder, `${zoneOf(records)}.zone`), zoneFile(records));
  const config = join(folder, 'knot.conf');
  writeFileSync(
    config,
    `server:
    rundir: "${folder}"
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
    tcp-io-timeout: 60000
log:
  - target: stderr
    any: error
database:
    storage: "${folder}"
acl:
  - id: all
    address: 127.0.0.1
    action: transfer
template:
  - id: default
    storage: "${folder}"
    acl: all
    zonefile-load: whole
    journal-content: none
zone:
${sizes.map((records) => `  - domain: ${zoneOf(records)}\n    file: "${zoneOf(records)}.zone"\n`).join('')}`,
  );
  const child = start('server', found.path, ['-c', config], { stdio: 'ignore' });
  for (const records of sizes) await untilAnswered(port, records);
  return { port, pid: child.pid ?? 0, stop: () => end(child) };
}

function zoneFile(records: number): string {
  const head = `$ORIGIN ${zoneOf(records)}.\n$TTL 3600\n@ SOA ns1 admin 1 3600 600 86400 60\n@ NS ns1\nns1 A 192.0.2.1\n`;
  const lines = Array.from({ length: records - 3 }, (_, at) => `host${at} A ${addressOf(at)}\n`);
  return head + lines.join('');
}

export async function openOurs(
  bench: Bench,
  folder: string,
  primaryPort: number,
  sizes: readonly number[],
): Promise<NameServer> {
  const region = await startRegion({ data: join(folder, 'ours'), ...profiled(bench) });
  try {
    const port = Number(new URL(String(region.services.dnsserver)).port);
    for (const records of sizes) {
      const properties = { zoneName: zoneOf(records), primaryIps: [`127.0.0.1:${primaryPort}`] };
      await region.expect(202, { method: 'POST', path: '/dns/secondaryzones', body: { properties } });
      await untilAnswered(port, records);
    }
    return { port, pid: region.pid, stop: region.stop };
  } catch (error) {
    await region.stop();
    throw error;
  }
}

async function untilAnswered(port: number, records: number): Promise<void> {
  const till = performance.now() + startLimitMs;
  for (;;) {
    const found = await ask(port, nameAt(records - 4, records), 'A').catch(() => undefined);
    if (found?.answers?.length) return;
    if (performance.now() > till) throw new Error(`${zoneOf(records)} is not there after ${startLimitMs / 1000} s`);
    await pause(200);
  }
}
