// kcat (librdkafka) against the embedded broker, where it is installed.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { openTestBroker } from '../../src/streaming/broker/testing.ts';

const program = process.env.CUMULET_KCAT ?? 'kcat';
const isThere = spawnSync(program, ['-V']).status === 0;
const run = promisify(execFile);

suite('kcat', { skip: isThere ? false : 'kcat is not installed', timeout: 60_000 }, () => {
  test('[STREAM-06] produces with each codec, consumes, and consumes in a group', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-kcat-'));
    const broker = await openTestBroker();
    t.after(async () => {
      await broker.close();
      await rm(folder, { recursive: true, force: true });
    });
    const { authority, client } = broker.certificates;
    const files = { ca: authority, certificate: client.certificate, key: client.key };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const connection = ['-b', broker.addresses.join(','), '-X', 'security.protocol=ssl'];
    const tls = Object.keys(files).flatMap((name) => ['-X', `ssl.${name}.location=${join(folder, name)}`]);
    const kcat = async (...words: string[]): Promise<string> =>
      (await run(program, [...connection, ...tls, ...words])).stdout;
    await broker.cluster.topics.create({ name: 'cats', partitions: 3, replicationFactor: 3, configs: {} });
    const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
    for (const codec of codecs) {
      writeFileSync(join(folder, 'lines'), Array.from({ length: 100 }, (_, at) => `${codec} ${at}\n`).join(''));
      await kcat('-P', '-t', 'cats', '-z', codec, '-X', 'enable.idempotence=true', '-l', join(folder, 'lines'));
    }
    const expected = codecs.flatMap((codec) => Array.from({ length: 100 }, (_, at) => `${codec} ${at}`)).toSorted();
    const read = (await kcat('-C', '-t', 'cats', '-o', 'beginning', '-e', '-q')).trimEnd().split('\n');
    assert.deepEqual(read.toSorted(), expected);
    const grouped = await kcat('-G', 'kittens', '-X', 'auto.offset.reset=earliest', '-c', '500', '-q', 'cats');
    assert.deepEqual(grouped.trimEnd().split('\n').toSorted(), expected);
    assert.match(await kcat('-L', '-t', 'cats'), /3 brokers/);
  });
});
