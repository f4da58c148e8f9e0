// Addresses that the region does not connect to for a contract, however they are written.
import assert from 'node:assert/strict';
import dns, { type LookupAddress } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { checkedLookup, forbiddenHost } from './outbound-address.ts';

const spellings = [
  '169.254.169.254',
  '169.254.169.254.',
  '0xa9fea9fe',
  '0xa9.254.0251.0376',
  '2852039166',
  '025177524776',
  '169.254.43518',
  '0.0.0.0',
  '0',
  '255.255.255.255',
  '239.0.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '[::]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:0.0.0.0]',
  '[::169.254.169.254]',
  '[64:ff9b::169.254.169.254]',
  '[2002:a9fe:a9fe::]',
  '[fe80::1]',
  '[febf::1]',
  '[ff02::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
];

test('link-local addresses and those of no machine are refused in every spelling', () => {
  for (const spelling of spellings)
    assert.notEqual(forbiddenHost(new URL(`http://${spelling}/`).hostname), undefined, spelling);
  for (const good of ['127.0.0.1', '127.1', '[::1]', '10.1.2.3', '192.168.0.1', '[fd00::1]', 'localhost', 'a.example'])
    assert.equal(forbiddenHost(new URL(`http://${good}/`).hostname), undefined, good);
});

const ask = (name: string, all = true): Promise<string | LookupAddress[]> =>
  new Promise((resolve, reject) =>
    checkedLookup('anywhere', (host, why) => new Error(`${host}: ${why}`))(name, { all }, (error, found) =>
      error ? reject(error) : resolve(found),
    ),
  );

test('a name that has only forbidden addresses is refused when it is connected to', async () => {
  // The system's own resolver reads these as addresses.
  for (const name of ['0xa9fea9fe', '2852039166', '169.254.43518', '169.254.169.254', 'fe80::1', '::ffff:169.254.1.1'])
    await assert.rejects(ask(name), /link-local or names no machine/, name);
  await assert.rejects(ask('169.254.169.254', false), /link-local or names no machine/);
  await ask('127.0.0.1');
  assert.equal(await ask('127.0.0.1', false), '127.0.0.1');
});

test('a connection never learns of the forbidden addresses of a name that has others too', async (t) => {
  const found = ['169.254.169.254', '10.1.2.3', 'fe80::1%eth0', 'fd00::1', '0.0.0.0'];
  t.mock.method(dns, 'lookup', ((_name: string, _options: object, done: (...found: unknown[]) => void) =>
    done(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as never);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.deepEqual(await ask('several.example'), [
    { address: '10.1.2.3', family: 4 },
    { address: 'fd00::1', family: 6 },
  ]);
});
