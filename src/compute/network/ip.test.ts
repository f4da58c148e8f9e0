// Address arithmetic compared with Node's for the same texts.
import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import { chanceOf } from '../../testing/seed.ts';
import { type Address, addressOf, contains, isPublic, rangeOf } from './ip.ts';

const textOf = (text: string): string | undefined => addressOf(text)?.text;

function known(text: string): Address {
  const address = addressOf(text);
  assert.ok(address, text);
  return address;
}

function isIn(address: string, network: string): boolean {
  const range = rangeOf(network);
  assert.ok(range, network);
  return contains(range, known(address));
}

test('an address has one text, however it is written', () => {
  assert.equal(textOf('10.0.0.1'), '10.0.0.1');
  assert.equal(textOf('2001:DB8:0:0:0:0:0:1'), '2001:db8::1');
  assert.equal(textOf('2001:db8:0:0:1:0:0:1'), '2001:db8::1:0:0:1');
  assert.equal(textOf('0:0:0:0:0:0:0:0'), '::');
  assert.equal(textOf('::ffff:1.2.3.4'), '::ffff:102:304');
  assert.equal(textOf('1:0:3:4:5:6:7:8'), '1:0:3:4:5:6:7:8');
});

test('a network contains the addresses with its prefix, and none of the other version', () => {
  assert.ok(isIn('10.1.2.3', '10.1.2.200/24'));
  assert.ok(!isIn('10.1.3.3', '10.1.2.0/24'));
  assert.ok(isIn('255.255.255.255', '0.0.0.0/0'));
  assert.ok(!isIn('::1', '0.0.0.0/0'));
  assert.ok(isIn('2001:db8:0:ffff::', '2001:db8::/48'));
  assert.ok(!isIn('2001:db8:1::', '2001:db8::/48'));
  assert.ok(isIn('10.0.0.1', '10.0.0.1'));
  for (const network of ['10.0.0.0/33', '10.0.0.0/', '10.0.0/8', '::/129', '::/-1', '', '/8', '10.0.0.0/8/8'])
    assert.equal(rangeOf(network), undefined, network);
});

test('private, local and reserved addresses are not public; the region’s own are', () => {
  const publicOnes = ['198.18.0.1', '2001:db8::1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '223.255.255.255', '::2'];
  const others = [
    '10.1.1.1',
    '172.31.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '224.0.0.1',
    'fd00::1',
    'fe80::1',
  ];
  for (const text of publicOnes) assert.equal(isPublic(known(text)), true, text);
  for (const text of [...others, '::', '::1', '::ffff:8.8.8.8', 'ff02::1', '0.0.0.0', '255.255.255.255'])
    assert.equal(isPublic(known(text)), false, text);
});

test('random texts are addresses if, and only if, Node accepts them', (t) => {
  const chance = chanceOf(t);
  const parts = ['', '', ':', ':', ':', '::', '0', '1', 'ab', 'FFFF', '12345', '.', '1.2.3.4', '256', '01.2.3.4', 'g'];
  const seen = { addresses: 0, others: 0 };
  for (let round = 0; round < 50_000; round++) {
    const length = 1 + chance.below(16);
    const text = chance.often(50)
      ? Array.from({ length }, () => chance.one(parts)).join('')
      : Array.from({ length: 2 + chance.below(7) }, () => chance.one(['0', 'a1', 'ffff', '', '1.2.3.4'])).join(':');
    const address = addressOf(text);
    assert.equal(address?.version ?? 0, isIP(text), text);
    if (!address) seen.others += 1;
    else {
      seen.addresses += 1;
      assert.deepEqual(addressOf(address.text), address);
      if (address.version === 6) assert.equal(address.text, new URL(`http://[${text}]`).hostname.slice(1, -1));
    }
  }
  assert.ok(seen.addresses > 500 && seen.others > 500, JSON.stringify(seen));
});
