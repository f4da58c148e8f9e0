// The contract suite on external log servers: Loki and VictoriaLogs, each started once on a free port; and the
// specifics of this engine: addresses, faults, our tenant label.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, describe, it, type TestContext } from 'node:test';
import {
  found,
  jobOf,
  type LogBench,
  logContract,
  newTenant,
  openLogReader,
  openLogWriter,
} from '../../src/testing/black-box/logging.ts';
import { isFull } from '../../src/testing/seed.ts';
import { loki, victoriaLogs } from '../clients/logs/programs.ts';
import { type LogServer, startLoki, startVictoriaLogs } from '../clients/logs/servers.ts';

let lokiServer: Promise<LogServer> | undefined;
let victoria: Promise<LogServer> | undefined;

after(async () => {
  for (const one of [lokiServer, victoria]) await one?.then(({ stop }) => stop()).catch(() => {});
});

async function bench(address: string, settle: () => Promise<void>): Promise<LogBench> {
  const { writer } = await openLogWriter(address, () => {});
  return { writer, reader: await openLogReader(address, undefined), settle, close: () => writer.close() };
}

const foundLoki = await loki();
const onlyFull = 'runs in a full run only (--full)';
const byRetention = 'its own retention removes old lines';
const wholeIndex = 'it returns what is in memory, whatever the range is';
logContract(
  'Loki',
  async () => {
    lokiServer ??= startLoki(String(foundLoki.path));
    const { url } = await lokiServer;
    return bench(`loki+${url}`, async () => {});
  },
  {
    skip: isFull ? foundLoki.skip : onlyFull,
    except: {
      '[LOG-06] streams whose lines are all too old are removed; others stay': byRetention,
      '[LOG-08] a dropped tenant has no lines, and can start again': 'it deletes hours later',
      'only streams with lines in the range count': wholeIndex,
      'statistics count streams, lines and bytes': 'it counts what it has flushed, which it does later',
    },
  },
);

const foundVictoria = await victoriaLogs();
logContract(
  'VictoriaLogs',
  async () => {
    victoria ??= startVictoriaLogs(String(foundVictoria.path));
    const { url } = await victoria;
    return bench(`victorialogs+${url}`, async () => assert.ok((await fetch(`${url}/internal/force_flush`)).ok));
  },
  {
    skip: isFull ? foundVictoria.skip : onlyFull,
    except: {
      '[LOG-06] streams whose lines are all too old are removed; others stay': byRetention,
      '[LOG-08] a dropped tenant has no lines, and can start again': 'it deletes by its retention only',
    },
  },
);

// A server that gives every request the same answer, and records the requests.
async function answering(t: TestContext, status: number, body: string): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const { authorization = '', 'x-scope-orgid': tenant = '' } = request.headers;
    requests.push([request.method, request.url, authorization, tenant, text].join(' '));
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  return { url: `127.0.0.1:${typeof address === 'object' ? address?.port : ''}/logs`, requests };
}

describe('log servers elsewhere', () => {
  it('are reached below their address, with a password, the tenant in a header and in a label of ours', async (t) => {
    const { url, requests } = await answering(t, 204, '');
    const { writer } = await openLogWriter(`loki+http://me:s%20ecret@${url}`, () => {});
    await writer.append([jobOf('pipeline-1', [[{ app: 'a' }, [1, 'x']]])]);
    const password = Buffer.from('me:s ecret').toString('base64');
    assert.match(String(requests[0]), new RegExp(`^POST /logs/loki/api/v1/push Basic ${password} pipeline-1 `));
    assert.match(String(requests[0]), /"stream":\{"app":"a","cumulet_pipeline":"pipeline-1"\}/);
  });

  it('that fail are unavailable, and their refusals are forwarded with their messages', async (t) => {
    for (const [status, kind] of [
      [500, 'unavailable'],
      [429, 'unavailable'],
      [400, 'refused'],
    ] as const) {
      const { url } = await answering(t, status, 'their words');
      const opened = await bench(`loki+http://${url}`, async () => {});
      await assert.rejects(opened.writer.append([jobOf(newTenant(), [[{ app: 'a' }, [1, 'x']]])]), {
        kind,
        message: /their words/,
      });
      await assert.rejects(found(opened, newTenant()), { kind });
    }
    const nobody = await bench('loki+http://127.0.0.1:1', async () => {});
    await assert.rejects(found(nobody, newTenant()), {
      kind: 'unavailable',
      message: /127\.0\.0\.1:1 does not answer/,
    });
  });

  it('have addresses of one form, whose password is never shown', async () => {
    await assert.rejects(
      openLogReader('loki+ftp://u:secret@h', undefined),
      (error: Error) => !error.message.includes('secret'),
    );
  });

  it('report once that they do not delete', async (t) => {
    const { url } = await answering(t, 404, 'not found');
    const messages: string[] = [];
    const { writer } = await openLogWriter(`loki+http://${url}`, (message) => messages.push(message));
    await writer.drop('a');
    await writer.drop('b');
    assert.equal(messages.length, 1);
    assert.match(String(messages[0]), /stay in the log server.*not found/);
  });
});
