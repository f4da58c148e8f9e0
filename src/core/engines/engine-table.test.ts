// An engine that is in a table can be named by a setting and opened, and no other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  atBrokers,
  atFolder,
  atSocket,
  builtIn,
  type EngineTable,
  inDataFolder,
  isAddressOf,
  onWeb,
  opener,
} from './engine-table.ts';

const engines: EngineTable<string> = {
  embedded: { at: inDataFolder, open: 'own' },
  'kafka+jvm': { at: atFolder, open: 'jars' },
  kafka: { at: atBrokers, open: 'brokers' },
  'docker+unix': { at: atSocket, open: 'socket' },
  's3+http(s)': { at: onWeb, open: 's3' },
};

test('a setting takes the addresses of the engines in the table', () => {
  for (const text of [
    'embedded',
    'here',
    'kafka+jvm:jars',
    'kafka://a:1,b:2',
    'docker+unix:///run/d',
    's3+http://k:s@h/b',
    's3+https://h',
  ])
    assert.ok(isAddressOf(engines, text), text);
  const wrong = ['', 'memory', 'embedded:/x', 'here:', 'kafka', 'kafka+jvm:', 'kafka:///', 's3://h', 's3+ftp://h'];
  for (const text of [
    ...wrong,
    'docker+unix:///',
    'docker+unix://run/d',
    's3+http://',
    's3+http://h:port',
    's3+http(s)://h',
    'constructor',
  ])
    assert.ok(!isAddressOf(engines, text), text);
});

test('`here` is an address only where an engine keeps data in the data folder', () => {
  const remote: EngineTable<string> = { embedded: { at: builtIn, open: 'own' } };
  assert.deepEqual([isAddressOf(remote, 'embedded'), isAddressOf(remote, 'here')], [true, false]);
});

test('the scheme selects the opener; an unknown scheme is refused without the rest of the address', () => {
  assert.equal(opener(engines, 'embedded:/data'), 'own');
  assert.equal(opener(engines, 's3+https://h'), 's3');
  assert.equal(opener(engines, 'kafka+jvm:jars'), 'jars');
  assert.throws(() => opener(engines, 'mysql://u:secret@h'), {
    kind: 'refused',
    message:
      /^Expected an engine address \(embedded, here, kafka\+jvm:FOLDER, .* or s3\+http\(s\):\/\/…\), not mysql:…\.$/,
  });
});
