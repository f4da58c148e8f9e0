// For tests of alerting: a real store in a temporary folder that can be reopened, a clock that only tests move, metrics
// with values from the test, and receivers of notifications.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import { createSeal, newSealKey } from '../../base/seal.ts';
import { openSqlite } from '../../core/state/sqlite/engine.ts';
import { Store } from '../../core/store.ts';
import {
  type AlertPipeline,
  type AlertSource,
  type FoundSample,
  HeavyRule,
  RuleError,
} from '../../surface/alerting/source.ts';
import { isStale, type SeriesData } from '../series.ts';
import { Alerts } from './alerts.ts';
import { channelRow, newChannelRow, readChannel } from './channels/channel.ts';
import type { AlertPayload } from './channels/payload.ts';
import type { AlertTools } from './ports.ts';
import { readRules } from './rules/check.ts';
import { checkExpression } from './rules/expression.ts';
import { writesOfRules } from './rules/store.ts';
import { AlertSources } from './sources.ts';

export const promQl = { checkExpression, records: true };

const source = 'monitoring';
export const pipeline: AlertPipeline = {
  source,
  id: '01900000-0000-7000-8000-000000000001',
  contract: 31,
  region: 'de-txl',
};

// The result of a query: values by label text, `host=a`; a text is an error.
export type Result = Record<string, number> | string;

export class AlertBench {
  time = 1_800_000_000_000;
  results = new Map<string, Result>(); // by expression
  tooHeavy = new Set<string>(); // expressions
  pushed: string[] = []; // `ALERTS{…} 1`, in order
  queries: { expr: string; time: number }[] = [];
  warnings: string[] = [];
  pipelines = new Set([pipeline.id]);
  pushFails = false;
  readonly folder = mkdtempSync(join(tmpdir(), 'cumulet-alerts-'));
  readonly #seal = createSeal(newSealKey());
  readonly #source: AlertSource = {
    name: source,
    privilege: 'accessAndManageMonitoring',
    language: { module: new URL('./rules/expression.ts', import.meta.url).href, example: 'up == 0', records: true },
    find: async (contract, id) => (this.pipelines.has(id) ? { ...pipeline, contract, id } : undefined),
    see: async (x, id) => {
      if (!this.pipelines.has(id) || x.who.contract !== pipeline.contract) throw new Fault('missing', 'missing');
      return { ...pipeline, id };
    },
    query: async (_, expression, timeMs) => this.#answer(expression, timeMs),
    dashboardUrl: (contract, region) => `http://localhost:7070/console/monitoring/${region}?contract=${contract}`,
  };
  #open: { store: Store; tools: AlertTools; alerts: Alerts } | undefined;

  get store(): Store {
    return this.#parts.store;
  }

  get tools(): AlertTools {
    return this.#parts.tools;
  }

  get alerts(): Alerts {
    return this.#parts.alerts;
  }

  get #parts() {
    assert.ok(this.#open, 'the bench is not open');
    return this.#open;
  }

  static async open(): Promise<AlertBench> {
    const bench = new AlertBench();
    await bench.start();
    return bench;
  }

  async start(): Promise<void> {
    const now = (): number => this.time;
    const store = new Store(await openSqlite({ folder: this.folder, now, checkpoint: false }));
    const tools: AlertTools = {
      store,
      seal: this.#seal,
      log: {
        info: () => undefined,
        warn: (message, fields) => void this.warnings.push(`${message} ${JSON.stringify(fields)}`),
        error: (message, fields) => assert.fail(`${message} ${String(fields?.error)}`),
      },
      now,
      real: now,
      authorities: [],
      dashboardUrl: this.#source.dashboardUrl,
      defaultRegion: 'de-txl',
      sources: new AlertSources(() => [this.#source]),
      push: async ({ id }, series) => this.#push(id, series),
    };
    this.#open = { store, tools, alerts: new Alerts(tools) };
  }

  async restart(): Promise<void> {
    await this.alerts.close();
    await this.store.engine.close();
    await this.start();
  }

  // Moves the clock and runs all due work.
  async pass(ms: number): Promise<void> {
    this.time += ms;
    await this.alerts.run(source);
  }

  async rules(text: string, namespace = 'app', at: AlertPipeline = pipeline): Promise<void> {
    await this.store.must(await writesOfRules(this.store, at, namespace, readRules(text, promQl), text, this.time));
  }

  async channel(properties: object, secret = 'signing secret', { contract, region } = pipeline): Promise<string> {
    const read = readChannel({ name: 'ops', type: 'webhook', ...properties });
    const all = { properties: read.properties, secrets: { ...read.secrets, secret }, trouble: undefined };
    const row = channelRow(newChannelRow(contract, region, uuid()), all, this.#seal);
    await this.store.must([{ op: 'insert', table: 'resource', row }]);
    return row.id;
  }

  // `High{host=a}:firing` of all alerts of the pipeline.
  async states(): Promise<string[]> {
    const answer = await this.alerts.answer(pipeline, 'alerts', new URLSearchParams());
    const { data } = answer as { data: { alerts: { labels: Record<string, string>; state: string }[] } };
    return data.alerts.map(({ labels: { alertname, ...rest }, state }) => `${alertname}${shown(rest)}:${state}`).sort();
  }

  async rows(): Promise<string[]> {
    const found: string[] = [];
    for await (const row of this.store.each({ contract: 0, below: 'alerting/' }))
      found.push(row.place.split('/')[1] ?? '');
    return found.sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.alerts.close();
    await this.store.engine.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #answer(expr: string, time: number): FoundSample[] {
    this.queries.push({ expr, time });
    const result = this.results.get(expr) ?? {};
    if (this.tooHeavy.has(expr)) throw new HeavyRule('query timed out');
    if (typeof result === 'string') throw new RuleError(result);
    return Object.entries(result).map(([text, value]) => {
      const pairs = text.split(',').filter(Boolean);
      return { labels: Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string])), value };
    });
  }

  #push(tenant: string, series: readonly SeriesData[]): void {
    assert.ok(this.pipelines.has(tenant));
    if (this.pushFails) throw new Fault('unavailable', 'no room');
    for (const { labels, values } of series) {
      const { __name__: name, ...rest } = Object.fromEntries(labels);
      const value = values[0] as number;
      this.pushed.push(`${name}${shown(rest)} ${isStale(value) ? 'stale' : value}`);
    }
  }
}

const shown = (labels: Record<string, string>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')}}`;

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  payload: AlertPayload;
}

// A receiver of webhooks; `status` is its next answer.
export class Hook {
  status = 200;
  isSilent = false; // it accepts connections and never answers
  headers: Record<string, string> = {};
  received: Received[] = [];
  #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  static async open(): Promise<Hook> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const payload = JSON.parse(text) as AlertPayload;
        hook.received.push({ path: request.url ?? '', headers: request.headers, text, payload });
        if (!hook.isSilent) response.writeHead(hook.status, hook.headers).end('thanks');
      });
    });
    const hook = new Hook(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return hook;
  }

  // Returns the notifications since the last call, as `firing: High{host=a} firing`.
  take(): string[] {
    return this.received.splice(0).map(({ payload: { status, alerts } }) => {
      const each = alerts.map(({ labels: { alertname, ...rest }, status: own }) => `${alertname}${shown(rest)} ${own}`);
      return `${status}: ${each.join(', ')}`;
    });
  }

  [Symbol.dispose](): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
