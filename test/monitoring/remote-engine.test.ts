// The contract suite on external servers: Debian's VictoriaMetrics and Prometheus, each started once on a free port;
// and the specifics of this engine: addresses, faults, our label.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import {
  base,
  decode,
  type Fault,
  type MetricBench,
  metricContract,
  newTenant,
  openRemoteReader,
  openRemoteWriter,
  type Push,
  pushOf,
  type Sink,
  selectionOf,
} from '../../src/testing/black-box/monitoring.ts';
import { freePort } from '../../src/testing/free-port.ts';
import { type Agent, startAgent, untilAnswered } from '../clients/agents/process.ts';
import { prometheus, victoriaMetrics } from '../clients/agents/programs.ts';

const decodePush = (push: Push, sink: Sink): void => decode(push, sink, { mostBytes: 1 << 24 });

interface Started {
  url: string;
  agent: Agent;
}

let victoria: Promise<Started> | undefined;
let real: Promise<Started> | undefined;
const folders: string[] = [];

after(async () => {
  for (const one of [await victoria, await real]) await one?.agent.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function started(command: (folder: string, port: number) => string[], ready: string): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-server-'));
  folders.push(folder);
  const port = await freePort();
  const agent = startAgent(command(folder, port));
  const url = `http://127.0.0.1:${port}`;
  await untilAnswered(`the server at ${url}`, async () => (await fetch(`${url}${ready}`)).ok);
  return { url, agent };
}

async function bench(url: string, settle: () => Promise<void>): Promise<MetricBench> {
  const address = `prometheus+${url}`;
  const writer = await openRemoteWriter({ url: address, decode: decodePush, warn: () => {} });
  const reader = await openRemoteReader({ url: address });
  return { writer, reader, settle, close: () => writer.close() };
}

const noStale = 'the query API of such servers omits stale markers';
const foundVictoria = await victoriaMetrics();
metricContract(
  'VictoriaMetrics',
  async () => {
    victoria ??= started(
      (folder, port) => [
        String(foundVictoria.path),
        `-storageDataPath=${folder}`,
        `-httpListenAddr=127.0.0.1:${port}`,
        '-search.latencyOffset=0s',
        '-memory.allowedBytes=100MB',
      ],
      '/health',
    );
    const { url } = await victoria;
    return bench(url, async () => assert.ok((await fetch(`${url}/internal/force_flush`)).ok));
  },
  {
    skip: foundVictoria.skip,
    except: {
      'the last push of a time wins': 'it keeps both, and returns either',
      'doubles keep every bit': 'it keeps about fifteen digits',
      'an ordinary NaN is kept': 'it refuses NaN',
      'a stale marker is kept': noStale,
    },
  },
);

const foundPrometheus = await prometheus();
metricContract(
  'Prometheus',
  async () => {
    real ??= started(prometheusCommand, '/-/ready');
    return bench((await real).url, async () => {});
  },
  {
    skip: foundPrometheus.skip,
    except: {
      'the last push of a time wins': 'it refuses a second value for a time',
      'a stale marker is kept': noStale,
    },
  },
);

function prometheusCommand(folder: string, port: number): string[] {
  const config = join(folder, 'prometheus.yml');
  writeFileSync(config, 'storage: {tsdb: {out_of_order_time_window: 2h}}\n');
  return [
    String(foundPrometheus.path),
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-remote-write-receiver',
    '--web.enable-admin-api',
  ];
}

interface Heard {
  method: string | undefined;
  url: string | undefined;
  authorization: string | undefined;
}

type Reply = [status: number, body: string];

// A server with scripted answers that records its requests.
async function pretended(t: TestContext, reply: (heard: Heard) => Reply): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const { method, url, headers } = request;
    heard.push({ method, url, authorization: headers.authorization });
    request.resume().on('end', () => {
      const [status, body] = reply(heard.at(-1) as Heard);
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close().closeAllConnections());
  return { url: `127.0.0.1:${(server.address() as { port: number }).port}`, heard };
}

const kind = (error: unknown): string => (error as Fault).kind;
const one = (tenant = newTenant()): ReturnType<typeof pushOf> => pushOf(tenant, [[{ __name__: 'up' }, [base, 1]]]);

describe('a metric server by its address', () => {
  it('user and password are sent as Basic, paths are below that of the address', async (t) => {
    const { url, heard } = await pretended(t, () => [200, '{"status":"success","data":[]}']);
    const address = `prometheus+http://some:p%40ss@${url}/prometheus/`;
    const writer = await openRemoteWriter({ url: address, decode: decodePush });
    const reader = await openRemoteReader({ url: address });
    await writer.append([one()]);
    await reader.names([selectionOf(newTenant())]);
    const authorization = `Basic ${Buffer.from('some:p@ss').toString('base64')}`;
    assert.deepEqual(heard, [
      { method: 'POST', url: '/prometheus/api/v1/write', authorization },
      { method: 'POST', url: '/prometheus/api/v1/labels', authorization },
    ]);
  });

  it('writes use another path if the address has one', async (t) => {
    const { url, heard } = await pretended(t, () => [204, '']);
    const address = `prometheus+http://${url}/prometheus?write=/api/v1/push`;
    const writer = await openRemoteWriter({ url: address, decode: decodePush });
    await writer.append([one()]);
    assert.equal(heard[0]?.url, '/api/v1/push');
  });

  it('an invalid address is refused, without showing the password', async () => {
    for (const url of ['http://host', 'prometheus+ftp://a:secret@host', 'prometheus+http://'])
      await assert.rejects(openRemoteReader({ url }), (error) => {
        assert.equal(kind(error), 'refused');
        assert.doesNotMatch(String(error), /secret/);
        return true;
      });
  });
});

describe('a failing metric server', () => {
  it('its refusals are rejections with its message', async (t) => {
    const { url } = await pretended(t, () => [400, 'out of order sample']);
    const writer = await openRemoteWriter({ url: `prometheus+http://${url}`, decode: decodePush });
    const [outcome] = await writer.append([one()]);
    assert.deepEqual({ ...outcome, reasons: [] }, { samples: 0, rejected: 1, reasons: [] });
    assert.match(outcome?.reasons[0] ?? '', /400: out of order sample/);
  });

  it('its errors, too many calls and timeouts are temporary faults', async (t) => {
    for (const status of [500, 503, 429]) {
      const { url } = await pretended(t, () => [status, 'later']);
      const writer = await openRemoteWriter({ url: `prometheus+http://${url}`, decode: decodePush });
      await assert.rejects(writer.append([one()]), (error) => kind(error) === 'unavailable');
      const reader = await openRemoteReader({ url: `prometheus+http://${url}` });
      await assert.rejects(reader.select(selectionOf('x')), (error) => kind(error) === 'unavailable');
    }
    const closed = `prometheus+http://127.0.0.1:${await freePort()}`;
    const writer = await openRemoteWriter({ url: closed, decode: decodePush });
    await assert.rejects(writer.append([one()]), (error) => kind(error) === 'unavailable');
  });

  it('one that cannot delete is reported once, without a failure', async (t) => {
    const { url } = await pretended(t, () => [403, 'admin APIs disabled']);
    const warnings: string[] = [];
    const address = `prometheus+http://${url}`;
    const writer = await openRemoteWriter({ url: address, decode: decodePush, warn: (text) => warnings.push(text) });
    await writer.prune('a', base);
    await writer.prune('b', base);
    assert.equal(warnings.length, 1);
    await writer.drop('a');
    assert.match(warnings.at(-1) ?? '', /admin APIs disabled/);
  });

  it('the label that separates pipelines cannot be pushed', async (t) => {
    const { url, heard } = await pretended(t, () => [204, '']);
    const writer = await openRemoteWriter({ url: `prometheus+http://${url}`, decode: decodePush });
    const forged = pushOf('mine', [[{ __name__: 'up', cumulet_pipeline: 'theirs' }, [base, 1]]]);
    const [outcome] = await writer.append([forged]);
    assert.equal(outcome?.samples, 0);
    assert.match(outcome?.reasons[0] ?? '', /cumulet_pipeline/);
    assert.equal(heard.length, 0);
  });
});
