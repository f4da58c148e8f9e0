// Both ends of the relay, connected by pipes: connections to the Python end arrive at a server of this process.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { suite, type TestContext, test } from 'node:test';
import { freePort } from '../../../../testing/free-port.ts';
import { limits } from '../../../../testing/limits.ts';
import { until } from '../../../../testing/waiting.ts';
import { RegionRelay } from './region-relay.ts';
import { relayScript } from './relay-script.ts';

const hasPython = ((): boolean => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

interface Bench {
  child: ChildProcess;
  sockets: Socket[]; // at the server
  ended: Promise<void>;
  dial(): Promise<Socket>; // as a machine
}

const mb = 1024 * 1024;

suite('the relay of connections from machines', {
  timeout: limits.test,
  skip: hasPython ? false : 'python3 is not installed',
}, () => {
  async function bench(t: TestContext, serve: (socket: Socket) => void): Promise<Bench> {
    const sockets: Socket[] = [];
    const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket.on('error', () => undefined));
      serve(socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const front = await freePort();
    const child = spawn('python3', ['-c', relayScript, '127.0.0.1', String(front)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const stream = Duplex.from({ writable: child.stdin, readable: child.stdout } as never);
    const target = (requested: number): Socket => {
      assert.equal(requested, front);
      return connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    };
    const ended = new RegionRelay(stream, target).run().catch(() => undefined);
    t.after(async () => {
      child.kill('SIGKILL');
      await ended;
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    const dial = async (): Promise<Socket> => {
      const socket = connect({ host: '127.0.0.1', port: front });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    await until('the relay listens', () =>
      dial().then(
        (socket) => socket.end() === socket,
        () => false,
      ),
    );
    return { child, sockets, ended, dial };
  }

  const echo = (socket: Socket): void => void socket.pipe(socket);
  const bytes = (size: number, seed: number): Buffer => Buffer.alloc(size, `${seed} of the relay, `);

  test('200 connections in parallel carry their own bytes, and both directions end separately', async (t) => {
    const { dial } = await bench(t, echo);
    await Promise.all(
      Array.from({ length: 200 }, async (_, number) => {
        const socket = await dial();
        const sent = bytes(1 + number * 100, number);
        socket.end(sent);
        assert.deepEqual(await buffer(socket), sent);
      }),
    );
  });

  test('large bodies are carried unchanged in both directions at the same time', async (t) => {
    const { dial } = await bench(t, echo);
    const sent = bytes(32 * mb, 1);
    const socket = await dial();
    socket.end(sent);
    assert.ok(sent.equals(await buffer(socket)));
  });

  test('a reader that stops delays neither other connections nor itself for ever', async (t) => {
    const { dial, sockets } = await bench(t, echo);
    const slow = await dial();
    slow.pause();
    const sent = bytes(64 * mb, 2); // more than the buffers of all sockets
    slow.end(sent);
    await until('its buffers are full', () => sockets.at(-1)?.bytesRead ?? 0, stableFor(5));
    assert.ok(slow.writableLength > 0, 'the relay must not buffer the whole body');
    const quick = await dial();
    quick.end(bytes(4 * mb, 3));
    assert.ok(bytes(4 * mb, 3).equals(await buffer(quick)));
    assert.ok(sent.equals(await buffer(slow)));
  });

  test('an abrupt end of one side ends the other, and no other connection', async (t) => {
    const { dial, sockets } = await bench(t, echo);
    const other = await dial();
    const machine = await dial();
    machine.write('x');
    await once(machine, 'data');
    const closed = closeOf(sockets.at(-1) as Socket);
    machine.resetAndDestroy();
    await closed;
    const second = await dial();
    second.write('x');
    await once(second, 'data');
    const gone = closeOf(second.resume());
    (sockets.at(-1) as Socket).resetAndDestroy();
    await gone;
    other.end('still here');
    assert.equal(String(await buffer(other)), 'still here');
  });

  test('when the process ends, all connections to the region end', async (t) => {
    const { child, dial, sockets, ended } = await bench(t, echo);
    for (let number = 0; number < 3; number++) {
      const socket = await dial();
      socket.write('x');
      await once(socket, 'data');
    }
    child.kill('SIGKILL');
    await ended;
    await until('no connection is left', () =>
      sockets.every(({ destroyed, readableEnded }) => destroyed || readableEnded),
    );
  });

  test('when the region closes the stream, the process and the connections of machines end', async (t) => {
    const { child, dial } = await bench(t, echo);
    const socket = await dial();
    const [closed, exited] = [closeOf(socket.resume()), once(child, 'exit')];
    child.stdin?.destroy();
    await Promise.all([closed, exited]);
  });
});

const closeOf = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

// A condition that holds when a value was the same a number of times.
function stableFor(times: number): (value: number) => boolean {
  let [last, count] = [-1, 0];
  return (value) => {
    count = value === last ? count + 1 : 0;
    last = value;
    return count >= times;
  };
}
