// What dig, delv, named-checkzone and a BIND secondary find in a zone of the region.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../../src/testing/free-port.ts';
import { limits } from '../../../src/testing/limits.ts';
import { until } from '../../../src/testing/waiting.ts';
import { ask, portOf } from '../../dns/query.ts';
import { ended, launch, signalIfAlive } from '../../harness/process.ts';
import { type Region, type ResourceBody, startRegion } from '../../harness/region.ts';
import { mustRun, run, workFolder } from '../run.ts';
import { checkZone, delv, dig, dnssecVerify, kdig, ldnsVerifyZone, named } from './programs.ts';

const zoneName = 'tools.example';
const records: [name: string, type: string, content: string, priority?: number][] = [
  ['', 'A', '192.0.2.1'],
  ['www', 'AAAA', '2001:db8::1'],
  ['', 'MX', 'mail.tools.example', 10],
  ['mail', 'A', '192.0.2.2'],
  ['alias', 'CNAME', 'www.tools.example'],
  ['*.wild', 'TXT', 'any of them'],
  ['_sip._tcp', 'SRV', '5 5060 mail.tools.example', 1],
  ['', 'CAA', '0 issue "ca.example.net"'],
  ['h', 'HTTPS', '1 . alpn=h2,h3 port=8443 ipv4hint=192.0.2.9'],
  ['s', 'SVCB', '2 svc.tools.example alpn=h2'],
  ['loc', 'LOC', '52 31 12.500 N 13 24 36.000 E 34.00m 1m 10000m 10m'],
  ['u', 'URI', '1 "https://tools.example/"', 10],
  ['cert', 'CERT', 'PKIX 1 0 AQIDBA=='],
  ['pgp', 'OPENPGPKEY', 'AQIDBA=='],
  ['_443._tcp', 'TLSA', `3 1 1 ${'ab'.repeat(32)}`],
  ['mailbox', 'SMIMEA', `3 0 0 ${'cd'.repeat(8)}`],
  ['ssh', 'SSHFP', `4 2 ${'ef'.repeat(32)}`],
  ['rp', 'RP', 'admin.tools.example text.tools.example'],
  ['sub', 'NS', 'ns.sub.tools.example'],
  ['ns.sub', 'A', '192.0.2.53'],
  ['sub', 'DS', `12345 8 2 ${'12'.repeat(32)}`],
  ['a.b.c', 'A', '192.0.2.77'],
];

test('programs that query name servers', async (t) => {
  await using region = await startRegion({ args: ['--dns-peers', '127.0.0.1'] });
  const { body: zone } = await region.call('POST', '/dns/zones', { properties: { zoneName } });
  const path = `/dns/zones/${zone.id}`;
  for (const [name, type, content, priority] of records) {
    const properties = { name, type, content, ...(priority !== undefined && { priority }) };
    assert.equal((await region.call('POST', `${path}/records`, { properties })).status, 202, `${name} ${type}`);
  }
  await t.test('[TOOLS-05] dig reads each type as it was written', (inner) => readAll(inner, region));
  await t.test('[TOOLS-05] named-checkzone accepts the exported zone file', (inner) => checkFile(inner, region, path));
  await t.test('[TOOLS-05] BIND transfers the zone as a secondary, and follows it', (inner) =>
    secondary(inner, region, path),
  );
  for (const mode of ['NSEC', 'NSEC3'])
    await t.test(`[TOOLS-05] delv validates answers and absences of a zone signed with ${mode}`, (inner) =>
      validate(inner, region, path, mode),
    );
  for (const mode of ['NSEC', 'NSEC3'])
    await t.test(`[TOOLS-05] dnssec-verify takes a transferred zone with ${mode}, also after changes`, (inner) =>
      verify(inner, region, mode),
    );
  await t.test('[TOOLS-05] kdig +dnssec gets the signatures of answers and absences', (inner) =>
    signatures(inner, region, path),
  );
});

async function readAll(t: TestContext, region: Region): Promise<void> {
  const program = await dig();
  if (!program.path) return t.skip(program.skip);
  for (const [name, type, content, priority] of records) {
    if (name === 'ns.sub' || type === 'NS') continue; // it leads elsewhere
    const queryName = `${name ? `${name.replace('*', 'x')}.` : ''}${zoneName}`;
    const { stdout } = await mustRun([
      program.path,
      '@127.0.0.1',
      '-p',
      String(portOf(region)),
      queryName,
      type,
      '+short',
    ]);
    const plain = (text: string): string => text.toLowerCase().replace(/["\s]|\.(?=\s|$)/g, '');
    const wanted = plain(`${priority ?? ''}${content}`);
    assert.ok(plain(stdout).includes(wanted), `${queryName} ${type}: ${stdout} instead of ${content}`);
  }
}

async function checkFile(t: TestContext, region: Region, path: string): Promise<void> {
  const program = await checkZone();
  if (!program.path) return t.skip(program.skip);
  const file = join(workFolder(t), 'zone');
  const answer = await fetch(`${region.url}${path}/zonefile`, { headers: { authorization: `Bearer ${region.token}` } });
  writeFileSync(file, await answer.text());
  const { stdout } = await mustRun([program.path, '-i', 'local', zoneName, file]);
  assert.match(stdout, /OK/);
}

async function validate(t: TestContext, region: Region, path: string, nsecMode: string): Promise<void> {
  const program = await delv();
  if (!program.path) return t.skip(program.skip);
  const made = await sign(region, path, nsecMode);
  const [key] = made.metadata.items as { composedKeyData: string }[];
  const [flags, protocol, algorithm, data] = key?.composedKeyData.split(' ') ?? [];
  const anchor = join(workFolder(t), 'anchor');
  writeFileSync(anchor, `trust-anchors { ${zoneName}. static-key ${flags} ${protocol} ${algorithm} "${data}"; };\n`);
  const base = [program.path, '@127.0.0.1', '-p', String(portOf(region)), '-a', anchor, `+root=${zoneName}`];
  for (const question of ['www AAAA', 'alias AAAA', 'x.wild TXT', ' MX', ' DNSKEY', 'h HTTPS', 'sub DS', 'a.b.c A']) {
    const [name, type = ''] = question.split(' ');
    const { stdout } = await run([...base, name ? `${name}.${zoneName}` : zoneName, type]);
    assert.match(stdout, /; fully validated/, question);
  }
  for (const question of ['nope A', 'no.pe.x A', 'www MX', 'b.c A', 'y.wild A', 'mail AAAA']) {
    const [name, type = ''] = question.split(' ');
    const { stdout, stderr } = await run([...base, `${name}.${zoneName}`, type]);
    assert.match(stdout + stderr, /negative response, fully validated/, question);
  }
  assert.equal((await region.call('DELETE', `${path}/keys`)).status, 202);
}

// A zone that is transferred before and after changes of names, types, delegations and targets of ALIAS records.
async function verify(t: TestContext, region: Region, nsecMode: string): Promise<void> {
  const [transfer, program, other] = [await dig(), await dnssecVerify(), await ldnsVerifyZone()];
  if (!transfer.path) return t.skip(transfer.skip);
  if (!program.path) return t.skip(program.skip);
  if (!other.path) return t.skip(other.skip);
  const zoneName = `${nsecMode.toLowerCase()}.verify.example`;
  const { body: zone } = await region.call('POST', '/dns/zones', { properties: { zoneName } });
  const path = `/dns/zones/${zone.id}`;
  await sign(region, path, nsecMode);
  const file = join(workFolder(t), 'zone');
  const isFine = async (): Promise<void> => {
    const transferArgs = [
      '@127.0.0.1',
      '-p',
      String(portOf(region)),
      zoneName,
      'AXFR',
      '+onesoa',
      '+nocmd',
      '+nostats',
    ];
    const { stdout } = await mustRun([transfer.path as string, ...transferArgs]);
    writeFileSync(file, stdout);
    const { stdout: report, stderr } = await mustRun([program.path as string, '-o', zoneName, '-z', file]);
    assert.doesNotMatch(report + stderr, /missing|bad|failed|extra/i);
    await mustRun([other.path as string, file]);
  };
  await isFine();
  const made: string[] = [];
  const add = async (name: string, type: string, content: string): Promise<void> => {
    const { status, body } = await region.call('POST', `${path}/records`, { properties: { name, type, content } });
    assert.equal(status, 202, JSON.stringify(body));
    made.push(`${path}/records/${body.id}`);
  };
  for (let at = 0; at < 40; at++) await add(`n${at}.part${at % 3}`, 'A', '192.0.2.1');
  await isFine();
  await add('part1', 'NS', 'ns.example.net');
  await add('n0.part0', 'TXT', 'text');
  await add('*.wild', 'A', '192.0.2.9');
  await add('*.alias', 'ALIAS', `n0.part0.${zoneName}`);
  for (const name of ['', 'x', 'below.x', 'empty.z']) await add(name, 'ALIAS', `n2.part2.${zoneName}`);
  for (const name of ['out', 'below.out', 'a.b.out2', 'out.n4.part1']) await add(name, 'ALIAS', 'www.example.net');
  await isFine();
  for (const record of made.filter((_, at) => at % 2 === 0)) await region.call('DELETE', record);
  await isFine();
}

async function sign(region: Region, path: string, nsecMode: string): Promise<ResourceBody> {
  const properties = {
    keyParameters: { algorithm: 'RSASHA256', kskBits: 2048, zskBits: 1024 },
    nsecParameters: { nsecMode, nsec3Iterations: 3, nsec3SaltBits: 64 },
    validity: 90,
  };
  const { status, body } = await region.call('POST', `${path}/keys`, { properties });
  assert.equal(status, 202, JSON.stringify(body));
  return body;
}

async function signatures(t: TestContext, region: Region, path: string): Promise<void> {
  const program = await kdig();
  if (!program.path) return t.skip(program.skip);
  await sign(region, path, 'NSEC');
  const asking = [program.path, '@127.0.0.1', '-p', String(portOf(region)), '+dnssec'];
  const answerTo = async (name: string, ...more: string[]): Promise<string> =>
    (await mustRun([...asking, ...more, `${name}.${zoneName}`])).stdout;
  for (const by of ['+notcp', '+tcp']) {
    const answer = await answerTo('www', by, '-t', 'AAAA');
    assert.match(answer, /status: NOERROR/);
    assert.match(answer, /flags: qr aa/i);
    assert.match(answer, /\sAAAA\s+2001:db8::1\n/);
    assert.match(answer, /\sRRSIG\s+AAAA 8 3 /);
  }
  const absent = await answerTo('nope', '-t', 'A');
  assert.match(absent, /status: NXDOMAIN/);
  assert.match(absent, /\sNSEC\s/);
  assert.match(absent, /\sRRSIG\s+SOA 8 2 /);
  assert.equal((await region.call('DELETE', `${path}/keys`)).status, 202);
}

async function secondary(t: TestContext, region: Region, path: string): Promise<void> {
  const program = await named();
  if (!program.path) return t.skip(program.skip);
  const folder = workFolder(t);
  mkdirSync(join(folder, 'run'));
  const port = await freePort();
  const configuration = `
    options {
      directory "${folder}"; pid-file "${folder}/run/pid"; session-keyfile "${folder}/run/key"; managed-keys-directory "${folder}";
      listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no; notify no;
    };
    controls { };
    zone "${zoneName}" { type secondary; primaries { 127.0.0.1 port ${portOf(region)}; }; file "zone"; min-refresh-time 1; max-refresh-time 1; };`;
  writeFileSync(join(folder, 'named.conf'), configuration);
  const child = launch([], { command: [program.path, '-f', '-c', join(folder, 'named.conf')] });
  const end = ended(child, 'named', limits.client);
  t.after(() => signalIfAlive(child.pid, 'SIGKILL'));
  try {
    for (const type of ['A', 'MX']) await untilAnswered(port, zoneName, type);
    await region.call('POST', `${path}/records`, { properties: { name: 'later', type: 'A', content: '192.0.2.200' } });
    await untilAnswered(port, `later.${zoneName}`, 'A');
  } finally {
    child.kill();
    await end;
  }
}

const untilAnswered = (port: number, name: string, type: string): Promise<unknown> =>
  until(
    `${name} ${type} is answered`,
    () => ask(port, name, type).catch((error: Error) => error),
    (seen) => 'answers' in seen && (seen.answers?.length ?? 0) > 0,
  );
