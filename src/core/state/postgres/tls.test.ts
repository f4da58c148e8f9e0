// Encrypted connections to PostgreSQL: to one that proves who it is, and to one that does not.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createAuthority, issueCertificate } from '../../../base/certificate.ts';
import { createClock } from '../../../base/clock.ts';
import { type PostgresServer, startPostgres } from '../../../testing/postgres.ts';
import { openPostgres } from './engine.ts';

describe('postgres: encrypted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-tls-'));
  const ours = join(folder, 'ours.pem');
  const others = join(folder, 'others.pem');
  let server: PostgresServer;

  before(async () => {
    const time = { days: 1, now: createClock().real };
    const authority = await createAuthority({ commonName: 'Databases', ...time });
    writeFileSync(ours, authority.certificate);
    writeFileSync(others, (await createAuthority({ commonName: 'Others', ...time })).certificate);
    const tls = await issueCertificate(authority, { commonName: 'database', ...time, hosts: ['127.0.0.1'] });
    server = await startPostgres({ tls });
  });

  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const url = (options: string, host = '127.0.0.1'): string => {
    const target = new URL(server.url);
    target.hostname = host;
    return `${target.href}?application_name=tls&${options}`;
  };
  const isEncrypted = async (): Promise<boolean[]> => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const question = "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'tls'";
    const { rows } = await client.query<{ ssl: boolean }>(question);
    await client.end();
    return rows.map(({ ssl }) => ssl);
  };

  for (const [options, host] of [
    ['sslmode=require'],
    ['sslmode=verify-ca&sslrootcert=OURS', 'localhost'],
    ['sslmode=verify-full&sslrootcert=OURS'],
  ] as const) {
    it(`every connection is encrypted with ${options}`, async () => {
      const state = await openPostgres({ url: url(options.replace('OURS', ours), host) });
      try {
        await state.apply([{ op: 'count', contract: 1, name: 'n', add: 1 }]);
        assert.ok((await state.counters(1)).get('n'));
        const found = await isEncrypted();
        assert.ok(found.length >= 3 && found.every(Boolean), String(found));
      } finally {
        await state.close();
      }
    });
  }

  for (const [options, host] of [
    ['sslmode=verify-ca&sslrootcert=OTHERS'],
    ['sslmode=verify-full&sslrootcert=OTHERS'],
    ['sslmode=verify-full&sslrootcert=OURS', 'localhost'],
    ['sslmode=verify-full'],
  ] as const) {
    it(`a server that can not prove its identity is refused: ${options} ${host ?? ''}`, async () => {
      const named = options.replace('OURS', ours).replace('OTHERS', others);
      await assert.rejects(
        openPostgres({ url: url(named, host) }),
        /can not be opened \(.+\): check sslmode and sslrootcert in its address$/,
      );
    });
  }

  it('a server without encryption is refused if encryption is required', async () => {
    const plain = await startPostgres();
    try {
      await assert.rejects(
        openPostgres({ url: `${plain.url}?sslmode=require` }),
        /can not be opened \(The server does not support SSL connections\): check sslmode in its address$/,
      );
    } finally {
      await plain.stop();
    }
  });
});
