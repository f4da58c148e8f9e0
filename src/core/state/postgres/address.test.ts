// The parameters of a postgres:// address.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { parseAddress } from './address.ts';

it('an address has user, password, host, port, database, schema and encryption', () => {
  const { label, schema, config } = parseAddress(
    'postgresql://me%40x:p%2Fw@db.example:6000/my%20db?schema=west&sslmode=verify-full&application_name=a',
  );
  assert.equal(label, 'postgres://db.example:6000/my db?schema=west');
  assert.equal(schema, 'west');
  const expected = { host: 'db.example', port: 6000, database: 'my db', user: 'me@x', password: 'p/w' };
  assert.deepEqual(config, { ...expected, application_name: 'a', ssl: {} });
});

it('missing parts have their defaults', () => {
  const { label, schema, config } = parseAddress('postgres://db');
  assert.equal(label, 'postgres://db:5432/postgres?schema=cumulet');
  assert.equal(schema, 'cumulet');
  assert.deepEqual(config, {
    host: 'db',
    port: 5432,
    database: 'postgres',
    user: 'postgres',
    application_name: 'cumulet',
    ssl: false,
  });
  assert.equal(parseAddress('postgres://me@local/db?host=/run/postgresql').config.host, '/run/postgresql');
  assert.equal(parseAddress('postgres://me@[::1]:1/db').config.host, '::1');
  assert.equal(parseAddress('postgres://me@[::1]:1/db').label, 'postgres://[::1]:1/db?schema=cumulet');
});

it('encryption is as libpq has it: required without proof, or proven', () => {
  const sslOf = (mode: string) => parseAddress(`postgres://db?sslmode=${mode}`).config.ssl as Record<string, unknown>;
  assert.equal(sslOf('prefer'), false);
  assert.deepEqual(sslOf('require'), { rejectUnauthorized: false });
  assert.deepEqual(Object.keys(sslOf('verify-ca')), ['checkServerIdentity']);
  assert.deepEqual(sslOf('verify-full'), {});
});

it('an invalid address is refused, and the error does not contain it', () => {
  for (const text of [
    'sqlite:./data',
    'postgres://u:hush@db?schema=x;drop',
    `postgres://u:hush@db?schema=${'x'.repeat(49)}`,
    'postgres://u:hush@db?sslmode=often',
    'postgres://u:hush@db?passwd=hush',
    'postgres://u:hush@[nope/db',
    'postgres://u:hush%@db',
    'postgres://u:hush@db?sslmode=verify-ca&sslrootcert=/nowhere/ca.pem',
    `postgres://u:hush@db?sslmode=verify-full&sslrootcert=${import.meta.filename}`,
  ]) {
    assert.throws(
      () => parseAddress(text),
      (error) => error instanceof Fault && error.kind === 'refused' && !error.message.includes('hush'),
      text,
    );
  }
});
