// The contract suite on the remote engine, with a small S3 server in this process, and the failures of a server.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type BlobBench, bytesOf, piecesOf, read } from '../contract/bodies.ts';
import { blobContract } from '../contract/contract.ts';
import { openRemoteBlobs } from './engine.ts';
import { partBytes } from './parts.ts';
import { startTestingServer, type TestingServer } from './testing-server.ts';

const opened = async (): Promise<BlobBench & { server: TestingServer }> => {
  const folder = await mkdtemp(join(tmpdir(), 'blobs-s3-'));
  const server = await startTestingServer(folder);
  const engine = openRemoteBlobs(server.address);
  return {
    engine,
    server,
    leftovers: async () => [...(await server.keys()), ...(await server.uploads())],
    close: async () => {
      await engine.close();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
};

blobContract('remote', opened);

suite('a server', () => {
  const withServer = (title: string, run: (bench: BlobBench & { server: TestingServer }) => Promise<void>): void => {
    test(title, async () => {
      const bench = await opened();
      await run(bench).finally(() => bench.close());
    });
  };

  withServer('that fails once is called again', async ({ engine, server }) => {
    server.fail(2);
    const { handle } = await engine.put(piecesOf(bytesOf(1, 1000)));
    server.fail(1);
    assert.deepEqual(await read(engine, handle), bytesOf(1, 1000));
  });

  withServer('that keeps failing is unavailable, and works again later', async ({ engine, server }) => {
    server.fail(3);
    await assert.rejects(engine.put(piecesOf(bytesOf(1, 10))), { kind: 'unavailable', message: /503 SlowDown/ });
    await engine.put(piecesOf(bytesOf(1, 10)));
  });

  withServer('that aborts its answer is a fault, not a short blob', async ({ engine, server }) => {
    const { handle } = await engine.put(piecesOf(bytesOf(1, 300_000)));
    server.cut();
    await assert.rejects(read(engine, handle), { kind: 'unavailable' });
  });

  withServer('with several pages is swept completely, including unfinished uploads', async ({ engine, server }) => {
    const stored = await Promise.all(Array.from({ length: 20 }, (_, at) => engine.put(piecesOf(bytesOf(at, 10)))));
    const kept = new Set([stored[3]?.handle ?? '']);
    const large = bytesOf(1, partBytes(1) + 1);
    for (let count = 0; count < 2; count++) {
      const broken = async function* (): AsyncGenerator<Uint8Array, void> {
        yield large;
        await new Promise(setImmediate);
        server.fail(1000); // so that the upload cannot be aborted
        throw new Error('the client left');
      };
      await assert.rejects(engine.put(broken()), /the client left/);
      server.fail(0);
    }
    assert.equal((await server.uploads()).length, 2);
    assert.equal(await engine.sweep(Number.MAX_VALUE, async () => kept), 21);
    assert.equal((await server.keys()).length, 1);
    assert.deepEqual(await server.uploads(), []);
  });

  test('is probed: a wrong key and a missing bucket are refused with a remedy, a silent server is unavailable', async () => {
    const { engine, server, close } = await opened();
    const probe = (address: string): Promise<void> | undefined => openRemoteBlobs(address).probe?.();
    await engine.probe?.();
    await assert.rejects(probe(server.address.replace('CRET', 'CRETS')) ?? Promise.resolve(), {
      kind: 'refused',
      message: /bucket 'blobs' was answered with 403 SignatureDoesNotMatch\. Correct the key/,
    });
    await assert.rejects(probe(server.address.replace('/blobs/', '/none/')) ?? Promise.resolve(), {
      kind: 'refused',
      message: /bucket 'none' was answered with 404 NoSuchBucket\. Create the bucket/,
    });
    server.fail(1);
    await assert.rejects(engine.probe?.() ?? Promise.resolve(), { kind: 'unavailable', message: /503 SlowDown/ });
    await close();
    await assert.rejects(engine.probe?.() ?? Promise.resolve(), { kind: 'unavailable', message: /does not answer/ });
  });

  test('that does not answer is unavailable', async () => {
    const bench = await opened();
    await bench.close();
    await assert.rejects(bench.engine.put(piecesOf(bytesOf(1, 10))), { kind: 'unavailable', message: /answer/ });
  });

  test('has an address with a bucket and a key', () => {
    for (const address of [
      's3+http://host',
      's3+http://a:b@host/',
      's3+http://host/bucket',
      's3+ftp://a:b@host/bucket',
    ])
      assert.throws(() => openRemoteBlobs(address), { kind: 'refused' });
  });
});

test('the parts of a body grow, so that their number stays within the limit', () => {
  assert.equal(partBytes(1), 8 * 2 ** 20);
  assert.equal(partBytes(1001), 16 * 2 ** 20);
  assert.ok(partBytes(1, 5 * 2 ** 40) * 10_000 > 5 * 2 ** 40);
});
