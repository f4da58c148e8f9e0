// Clients that send and do not take their answers, or that open more connections than their share.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { addPerson, core } from '../../harness/people.ts';
import { createDone, type Region, startRegion } from '../../harness/region.ts';
import { stopwatch } from '../../harness/slowness.ts';
import { assertYields, startMetered } from '../../harness/turns.ts';
import { dial, head, wire } from '../../harness/wire.ts';
import { secondContract } from '../../sweep/api.ts';

const mostMs = 250;

// How long a call on a new connection takes: 95 of 100 are not slower.
async function callMs(region: Region, count: number): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < count; call++) {
    const elapsedMs = stopwatch(region);
    assert.equal((await wire(region.url, head('GET', '/health', {}))).status, 200);
    times.push(elapsedMs());
  }
  return times.sort((a, b) => a - b)[Math.floor(count * 0.95)] ?? 0;
}

test('connections that pipeline requests and read nothing delay no other call', async (t) => {
  await using region = await startRegion();
  const lans = Array.from({ length: 60 }, (_, at) => ({ properties: { name: `lan ${at}` } }));
  const properties = { name: 'large', location: 'de/txl' };
  await createDone(region, `${core}/datacenters`, { properties, entities: { lans: { items: lans } } });
  const authorization = `Bearer ${region.token}`;
  const requests = head('GET', `${core}/datacenters?depth=3`, { authorization }).repeat(300);
  const sockets: Socket[] = [];
  for (let count = 0; count < 300; count++) {
    const socket = dial(region.url).on('error', () => undefined);
    socket.pause().write(requests);
    sockets.push(socket);
  }
  await Promise.all(sockets.map((socket) => socket.connecting && once(socket, 'connect')));
  await callMs(region, 1); // the first requests of all of them are handled before it
  const attackedMs = await callMs(region, 60);
  t.diagnostic(`a new connection is answered in ${Math.round(attackedMs)} ms`);
  for (const socket of sockets) socket.destroy();
  assert.ok(attackedMs < mostMs, `${attackedMs} ms`);
  const { body } = await region.call<string>('GET', '/metrics', undefined, { token: null });
  const resident = Number(/process_resident_memory_bytes (\d+)/.exec(body)?.[1]);
  assert.ok(resident < 1024 ** 3, `${resident} bytes are resident after it`);
});

test('a client that pipelines thousands of requests and reads nothing does not block the main thread', async () => {
  const metered = await startMetered();
  await using region = metered.region;
  const lans = Array.from({ length: 60 }, (_, at) => ({ properties: { name: `lan ${at}` } }));
  const properties = { name: 'large', location: 'de/txl' };
  await createDone(region, `${core}/datacenters`, { properties, entities: { lans: { items: lans } } });
  const request = head('GET', `${core}/datacenters?depth=3`, { authorization: `Bearer ${region.token}` });
  assert.equal((await wire(region.url, request)).status, 200);
  await callMs(region, 1);
  await assertYields(metered, 'a pipeline of requests', async () => {
    const socket = dial(region.url).on('error', () => undefined);
    socket.pause().write(request.repeat(5000));
    await callMs(region, 60);
    socket.destroy();
  });
});

test('pipelined requests are answered in their order, however many', async () => {
  await using region = await startRegion();
  const { token } = await addPerson(region);
  const socket = dial(region.url);
  const count = 3000;
  const chunks: Buffer[] = [];
  let answers = 0;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    answers += chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
  });
  for (let at = 0; at < count; at++)
    socket.write(head('GET', `${core}/nothing/${at}`, { authorization: `Bearer ${token}` }));
  socket.write(head('GET', '/health', { connection: 'close' }));
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString('latin1');
  const order = [...text.matchAll(/nothing\/(\d+)/g)].map(([, at]) => Number(at));
  assert.deepEqual(
    [...new Set(order)],
    Array.from({ length: count }, (_, at) => at),
    `${answers} answers`,
  );
});

test('an address and a contract get a share of all connections, and others get in', async (t) => {
  await using region = await startRegion({ args: ['--max-connections', '240'] });
  const other = await secondContract(region);
  const request = (token: string) => head('GET', `${core}/`, { authorization: `Bearer ${token}` });
  const { port } = new URL(region.url);
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    sockets.push(socket.on('error', () => undefined));
    await once(socket, 'connect');
    return socket;
  };
  const statusOn = async (socket: Socket, token: string): Promise<number> => {
    socket.write(request(token));
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return Number(chunk.toString('latin1').split(' ')[1]);
  };
  for (let count = 0; count < 120; count++) await open('127.0.0.2');
  assert.equal(await statusOn(await open('127.0.0.2'), region.token), 503);
  assert.equal(await statusOn(await open('127.0.0.3'), region.token), 200);
  for (const socket of sockets.splice(0)) socket.destroy();
  const statuses: number[] = [];
  for (let count = 0; count < 125; count++)
    statuses.push(await statusOn(await open(`127.0.0.${4 + (count % 2)}`), region.token));
  assert.deepEqual([...new Set(statuses.slice(0, 110))], [200]);
  assert.equal(statuses.at(-1), 429);
  assert.equal(await statusOn(await open('127.0.0.6'), other.token), 200);
});
