// The embedded engine beyond the contract of engines: its threads, its storage, and addresses in use.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { createClock, machineTime } from '../../../base/clock.ts';
import { Fault } from '../../../base/fault.ts';
import { type Log, silent } from '../../../base/log.ts';
import { until } from '../../../testing/waiting.ts';
import { createCertificates } from '../../access/certificates.ts';
import { drawBrokers } from '../../clusters/broker-addresses.ts';
import type { ClusterSpec, StreamingEngine } from '../engine.ts';
import { openEmbedded } from './engine.ts';

const id = '0192f0a0-1111-7222-8333-444455556666';

suite('the embedded engine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-engine-'));
  const lines: string[] = [];
  const workers: Worker[] = [];
  const failed = Promise.withResolvers<void>(); // to start again
  const keep = (worker: Worker): void => void workers.push(worker);
  let engine: StreamingEngine;
  let spec: ClusterSpec;
  before(async () => {
    const clusterLog = (): Log => ({ ...silent, info: (message) => lines.push(message) });
    const log: Log = { ...silent, error: (message) => /could not be restarted/.test(message) && failed.resolve() };
    process.on('worker', keep);
    engine = openEmbedded({ address: 'embedded', folder, flushMs: 0, clock: createClock(), log, clusterLog });
    const brokers = await drawBrokers({ advertised: undefined }, async () => false);
    const { authority, brokers: certificate } = await createCertificates(id, [], machineTime);
    spec = { id, brokers, authority: authority.certificate, certificate, storageBytes: 1e9 };
  });
  after(async () => {
    await engine.close();
    process.off('worker', keep);
    rmSync(folder, { recursive: true, force: true });
  });

  test('refuses a cluster whose address is in use, and can start it later', async () => {
    const { host = '', port = 0 } = spec.brokers[2] ?? {};
    const other = createServer().listen(port, host);
    await new Promise((resolve) => other.once('listening', resolve));
    await assert.rejects(engine.start(spec), (error) => error instanceof Fault && /is in use/.test(error.message));
    await new Promise((resolve) => other.close(resolve));
    await engine.start(spec);
    assert.deepEqual(await engine.topics(id), []);
  });

  test('keeps topics across a stop, and drops them with the cluster', async () => {
    await engine.createTopic(id, { name: 'kept', partitions: 2, retentionMs: -1 });
    await engine.createTopic(id, { name: 'kept' }); // like a repeated step
    await engine.stop(id);
    await assert.rejects(engine.topics(id), (error) => error instanceof Fault && error.kind === 'unavailable');
    await engine.start(spec);
    assert.partialDeepStrictEqual(await engine.topics(id), [{ name: 'kept', partitions: 2, retentionMs: -1 }]);
    await assert.rejects(engine.createTopic(id, { name: 'no/name' }), /invalid/);
    await engine.remove(id);
    await engine.start(spec);
    assert.deepEqual(await engine.topics(id), []);
    assert.ok(lines.includes('broker: the cluster serves'));
  });

  test('restarts a cluster whose thread has died, even if the first attempt fails', async () => {
    const { host = '', port = 0 } = spec.brokers[0] ?? {};
    const [worker] = workers.filter(({ threadId }) => threadId >= 0) as [Worker];
    worker.emit('error', new Error('a bug')); // like an uncaught error
    await worker.terminate();
    const other = createServer().listen(port, host);
    await once(other, 'listening');
    await failed.promise;
    other.close();
    await once(other, 'close');
    assert.deepEqual(await until('the brokers answer again', () => engine.topics(id).catch(() => undefined)), []);
  });
});
