// The screen of a server by ticket: a URL that a browser can open without credentials, for a quarter of an hour. The
// ticket names its server and is signed; nothing is stored. A real machine has a terminal instead, which needs an account.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { always, pathParameter, textSchema } from '../../surface/docs/openapi.ts';
import { originOf, safe } from '../../surface/docs/pages.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import { datacenter } from '../datacenter.ts';
import type { MachineEngine } from '../machine/engine.ts';
import { server } from './server.ts';
import { machineIn } from './server-machine.ts';

export interface ConsoleTools {
  machines: MachineEngine;
  now: () => number;
  key: string; // the region's, for this alone
}

const lastsMs = 15 * 60_000;
const path = '/datacenters/{datacenterId}/servers/{serverId}';

export function consoleRoutes(store: Store, tools: ConsoleTools): Route[] {
  const { terminal } = tools.machines.abilities;
  const found = (right: 'get' | 'change') => (x: Exchange) => resolve(store, x, [datacenter, server], right);
  return [
    {
      method: 'GET',
      path: `${path}/remoteconsole`,
      operation: 'server_remoteConsole',
      summary: 'Create a URL of the terminal of a server, or of its screen for 15 minutes if it is simulated',
      replySchema: always({ url: textSchema }),
      mayRefuse: true,
      resolve: found(terminal ? 'change' : 'get'),
      call: (x) => {
        const row = x.rows.at(-1) as Row;
        const { vmState } = JSON.parse(row.body) as { vmState: string };
        if (vmState !== 'RUNNING')
          throw new Fault('refused', `Server ${row.id} is ${vmState} and has no screen. Start it first.`, {
            code: '200',
          });
        if (terminal) return json(200, { url: `${originOf(x)}${terminalPage(x)}` });
        return json(200, { url: `${x.base}/remoteconsole/${ticketFor(tools, row)}` });
      },
    },
    {
      method: 'GET',
      path: `${path}/token`,
      operation: 'server_token',
      summary: 'Create a token that opens the screen of a server',
      replySchema: always({ token: textSchema }),
      resolve: found('get'),
      call: (x) => json(200, { token: ticketFor(tools, x.rows.at(-1) as Row) }),
    },
    {
      method: 'GET',
      path: '/remoteconsole/{ticket}',
      operation: 'console_show',
      summary: 'Show the screen of a server, as a page or, on request, as plain text',
      open: true,
      parameters: [pathParameter('ticket', 'Ticket from the URL or token of a server', 'e30.AAAA')],
      replySchema: textSchema,
      replyTypes: ['text/html', 'text/plain'],
      call: async (x) => {
        const text = await screen(store, tools, x.params[0] ?? '');
        return isPlain(x) ? { status: 200, type: plain, body: text, headers: textHeaders } : pageOf(text);
      },
    },
  ];
}

// The console asks for an account, which must have the right to change the server.
const terminalPage = ({ params }: Exchange): string =>
  `/console/resources/cloudapi/datacenters/${params[0]}/servers/${params[1]}?tab=terminal`;

interface Ticket {
  contract: number;
  path: string;
  until: number;
}

function ticketFor({ key, now }: ConsoleTools, row: Row): string {
  const ticket: Ticket = { contract: row.contract, path: pathOf(row), until: now() + lastsMs };
  const payload = Buffer.from(JSON.stringify(ticket)).toString('base64url');
  return `${payload}.${signature(key, payload).toString('base64url')}`;
}

const signature = (key: string, payload: string): Buffer => createHmac('sha256', key).update(payload).digest();

async function screen(store: Store, { machines, now, key }: ConsoleTools, text: string): Promise<string> {
  const [payload = '', signed = ''] = text.split('.');
  const [expected, given] = [signature(key, payload), Buffer.from(signed, 'base64url')];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw noTicket();
  const { contract, path: at, until } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Ticket;
  const row = until > now() ? await store.at(contract, at) : undefined;
  const machine = row && machineIn(row);
  if (!machine) throw noTicket();
  return machines.console(machine, now());
}

const plain = 'text/plain; charset=utf-8';
const isPlain = ({ req }: Exchange): boolean => /^text\/plain\b/.test(req.headers.accept ?? '');

const pageOf = (screenText: string): Reply => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  body: page(screenText),
  headers: pageHeaders,
});

// No output of a machine can run in the page.
const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
const textHeaders = [
  'Cache-Control',
  'no-store',
  'Referrer-Policy',
  'no-referrer',
  'X-Content-Type-Options',
  'nosniff',
];
const pageHeaders = [...textHeaders, 'Refresh', '2', 'Content-Security-Policy', policy];

const page = (screenText: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Remote Console</title>
<style>body { background: #111; color: #ddd; } pre { white-space: pre-wrap; }</style>
</head>
<body><pre>${safe(screenText)}</pre></body>
</html>
`;

const noTicket = (): Fault => new Fault('missing', 'The link is invalid or has expired. Request a new one.');
