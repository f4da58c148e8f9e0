// Channels: accepted and refused properties, and their secrets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import type { Json } from '../../../base/json.ts';
import { createSeal, newSealKey } from '../../../base/seal.ts';
import { type Channel, channelOf, channelRow, channelsFor, newChannelRow, readChannel } from './channel.ts';

const seal = createSeal(newSealKey());
const webhook = { name: 'ops', type: 'webhook', url: 'https://hooks.example.test/a?b=c' };
const mail = {
  name: 'mail',
  type: 'email',
  url: 'smtp://u:p%40ss@mail.example.test:587',
  recipients: ['a@example.test'],
};

const kept = (sent: Json, more: Partial<Channel['secrets']> = {}, id = 'c'): Channel => {
  const { properties, secrets } = readChannel(sent);
  const all = { properties, secrets: { ...secrets, secret: 's', ...more }, trouble: undefined };
  return channelOf(channelRow(newChannelRow(1, 'de-txl', id), all, seal), seal);
};

test('[METRIC-07] webhooks and mailboxes are accepted, with their defaults', () => {
  assert.deepEqual(readChannel(webhook).properties, {
    ...webhook,
    takesAll: true,
    sendResolved: true,
    recipients: [],
    from: null,
  });
  const { properties, secrets } = readChannel(mail);
  assert.deepEqual([properties.url, secrets.password], ['smtp://u@mail.example.test:587', 'p@ss']);
});

test('an invalid channel is refused with its position', () => {
  const wrong: [Json, RegExp][] = [
    [{}, /properties\.name\] Attribute is required/],
    [{ ...webhook, name: '' }, /properties\.name/],
    [{ ...webhook, name: 'a,b' }, /properties\.name/],
    [{ ...webhook, type: 'pager' }, /properties\.type/],
    [{ ...webhook, url: 'ftp://x' }, /properties\.url\] Expected a URL that begins with http:\/\/ or https:\/\//],
    [{ ...webhook, url: 'file:///etc/passwd' }, /properties\.url/],
    [{ ...webhook, url: 'javascript:alert(1)' }, /properties\.url/],
    [{ ...webhook, url: 'http://u:p@x/' }, /cannot have credentials/],
    [{ ...webhook, url: 'http://' }, /properties\.url/],
    [{ ...webhook, url: 'http://169.254.169.254/latest' }, /properties\.url\] .*link-local/],
    [{ ...webhook, url: 'https://[::ffff:a9fe:a9fe]/' }, /properties\.url\] .*link-local/],
    [{ ...webhook, url: 'http://0/' }, /properties\.url\] .*names no machine/],
    [{ ...mail, url: 'smtp://169.254.169.254:25' }, /properties\.url\] .*link-local/],
    [{ ...webhook, recipients: ['a@b'] }, /has no recipients/],
    [{ ...webhook, authorization: 'a\r\nb' }, /properties\.authorization/],
    [{ ...webhook, extra: 1 }, /properties\.extra\] Attribute is unknown/],
    [{ ...mail, recipients: [] }, /at least one recipient/],
    [{ ...mail, recipients: ['a@b>\r\nRCPT TO:<c@d'] }, /recipients/],
    [{ ...mail, from: 'x' }, /properties\.from/],
    [{ ...mail, url: 'http://x' }, /smtp:\/\/ or smtps:\/\//],
    [{ ...mail, url: 'smtp://x/path' }, /cannot have a path/],
    [{ ...mail, url: 'smtp://u:%ff@x' }, /not well-formed/],
    [{ ...mail, url: 'smtp://u:a%0d%0ab@x' }, /control character/],
    [{ ...mail, url: 'smtp://a%0ab' }, /properties\.url/],
  ];
  for (const [sent, problem] of wrong)
    assert.throws(
      () => readChannel(sent),
      (error) => error instanceof Fault && error.problems.some(({ message }) => problem.test(message)),
      JSON.stringify(sent),
    );
});

test('secrets are sealed, and kept by a change without them if the target stays the same', () => {
  const hook = kept({ ...webhook, authorization: 'Bearer x' });
  const row = channelRow(newChannelRow(1, 'de-txl', 'c'), hook, seal);
  assert.doesNotMatch(JSON.stringify(row), /Bearer x/);
  assert.equal(
    readChannel({ ...webhook, url: 'https://hooks.example.test/other' }, hook).secrets.authorization,
    'Bearer x',
  );
  assert.equal(readChannel({ ...webhook, url: 'https://evil.example.test/' }, hook).secrets.authorization, '');
  assert.equal(readChannel({ ...webhook, authorization: '' }, hook).secrets.authorization, '');
  const box = kept(mail);
  const again = { ...mail, url: box.properties.url };
  assert.equal(readChannel(again, box).secrets.password, 'p@ss');
  assert.equal(readChannel({ ...again, url: 'smtp://u@evil.example.test:587' }, box).secrets.password, '');
  assert.equal(readChannel({ ...again, url: 'smtp://v@mail.example.test:587' }, box).secrets.password, '');
  assert.throws(() => readChannel({ ...mail, type: 'webhook' }, box), Fault);
});

test('an alert goes to the channels that it names, or else to those that take all', () => {
  const channels = [
    kept(webhook, {}, '1'),
    kept({ ...webhook, name: 'dev', takesAll: false }, {}, '2'),
    kept({ ...webhook, name: 'dev', takesAll: false }, {}, '3'),
  ];
  const ids = (named?: string): string =>
    channelsFor(channels, named)
      .map(({ id }) => id)
      .join();
  const known: [string | undefined, string][] = [
    [undefined, '1'],
    ['', '1'],
    ['dev', '2,3'],
    ['2', '2'],
    ['ops, dev', '1,2,3'],
    ['nobody', '1'],
    ['nobody,3', '3'],
  ];
  for (const [named, wanted] of known) assert.equal(ids(named), wanted, String(named));
});
