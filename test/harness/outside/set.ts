// A region of three nodes, which keep no data themselves: PostgreSQL, an S3 store, servers for metrics and logs, three
// brokers, a server with models, and HAProxy in front. Everything is a process on loopback.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../../../src/testing/postgres.ts';
import { Nodes } from '../nodes.ts';
import { type Ready, Region, startRegion } from '../region.ts';
import { Balancer, freeNodePorts, type NodePorts, portOptions } from './balancer.ts';
import {
  type Engine,
  startLoki,
  startMinio,
  startPrometheus,
  startVictoriaLogs,
  startVictoriaMetrics,
} from './engines.ts';
import { startKafka } from './kafka.ts';
import { isVictoria, type Programs } from './programs.ts';
import type { Killable } from './server.ts';

export type Part = 'node' | 'state' | 'objects' | 'metrics' | 'logs' | 'broker' | 'inference';

export interface Victim extends Killable {
  part: Part;
}

const nodeCount = 3;
const open = ['--rate-limit', '10000000', '--rate-burst', '100000', '--inference-rate', '10000'];

export class OutsideSet implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'cumulet-outside-'));
  readonly victims: Victim[] = [];
  #nodes!: Nodes;
  #balancer!: Balancer;
  #closing: (() => Promise<unknown>)[] = [];

  static async start(programs: Programs): Promise<OutsideSet> {
    const set = new OutsideSet();
    try {
      await set.#start(programs);
      return set;
    } catch (error) {
      await set[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #start(programs: Programs): Promise<void> {
    const at = (name: string): string => join(this.folder, name);
    const state = await startPostgres();
    this.#closing.push(() => state.stop());
    // One after another: together they take longer than the limits of their starts on a small machine.
    const models = await this.#startModels();
    const objects = this.#closed(await startMinio(programs.minio, at('objects')));
    const metrics = this.#closed(
      await (isVictoria.metrics ? startVictoriaMetrics : startPrometheus)(programs.metrics, at('metrics')),
    );
    const logs = this.#closed(await (isVictoria.logs ? startVictoriaLogs : startLoki)(programs.logs, at('logs')));
    const kafka = await startKafka(programs.kafka, at('kafka'));
    for (const broker of kafka.brokers) this.#closing.push(() => broker.kill());
    const engines = {
      objects: objects.address,
      metrics: metrics.address,
      logs: logs.address,
      streaming: kafka.address,
    };
    const options = Object.entries(engines).flatMap(([name, address]) => [`--${name}`, address]);
    const inference = `openai+http://${new URL(models.url).host}/inference/v1`;
    const front = await freeNodePorts();
    const url = `http://127.0.0.1:${front.http}`;
    const addresses = [
      ...['--public-url', url, '--objects-public-url', `http://127.0.0.1:${front.objects}`],
      ...['--logs-public-address', `:${front.logs}`],
    ];
    const args = [...options, '--inference', inference, ...addresses, ...open];
    this.#nodes = new Nodes(`${state.url}?schema=outside`, args, { CUMULET_INFERENCE_KEY: models.token });
    this.#closing.push(async () => this.#nodes[Symbol.asyncDispose]());
    const ports: NodePorts[] = [];
    for (let started = 0; started < nodeCount; started++) {
      const own = await freeNodePorts();
      ports.push(own);
      await this.#nodes.add(portOptions(own));
    }
    this.#balancer = new Balancer(programs.haproxy, this.folder, front, ports);
    this.#closing.push(() => this.#balancer.server.kill());
    await this.#balancer.server.start();
    this.#list(state, { objects, metrics, logs }, kafka.brokers, models);
  }

  #closed(engine: Engine): Engine {
    this.#closing.push(() => engine.server.kill());
    return engine;
  }

  // Another region, which serves its tiny model.
  async #startModels(): Promise<Region> {
    const { http, https, objects, logs } = await freeNodePorts();
    const args = [...portOptions({ http, https, objects, logs }), ...open];
    const region = await startRegion({ args });
    this.#closing.push(() => region.stop());
    return region;
  }

  #list(state: PostgresServer, engines: Record<string, Engine>, brokers: Killable[], models: Region): void {
    for (const [at, node] of this.#nodes.all.entries()) this.#add('node', regionAs(`node ${at + 1}`, node));
    const postgres = { name: 'PostgreSQL', kill: state.kill, start: state.start, log: state.log };
    this.#add('state', postgres);
    for (const [part, { server }] of Object.entries(engines)) this.#add(part as Part, server);
    for (const broker of brokers) this.#add('broker', broker);
    this.#add('inference', regionAs('models', models));
  }

  #add(part: Part, one: Killable): void {
    const { name } = one;
    this.victims.push({ part, name, kill: () => one.kill(), start: () => one.start(), log: () => one.log() });
  }

  // The region as clients see it through the balancer.
  client(): Region {
    const [first] = this.#nodes.all as [Region];
    const { ports, url } = this.#balancer;
    const services = { objects: `http://127.0.0.1:${ports.objects}`, forward: `tls://127.0.0.1:${ports.logs}` };
    const ready = { ...first.ready, gateway: url, https: `https://127.0.0.1:${ports.https}`, services };
    copyFileSync(join(first.data, 'ca.pem'), this.ca);
    return this.#view(new Agent({ keepAlive: true }), ready, first.token);
  }

  // The same client, whose calls go to the port for HTTPS.
  secureClient(): Region {
    const { ready, token } = this.client();
    const agent = new SecureAgent({ keepAlive: true, ca: readFileSync(this.ca) });
    return this.#view(agent, { ...ready, gateway: ready.https }, token);
  }

  #view(agent: Agent, ready: Ready, token: string): Region {
    const view = new Region({ data: join(this.folder, 'client') }, { log: '', agent, ready });
    view.token = token;
    return view;
  }

  get nodes(): Region[] {
    return this.#nodes.all;
  }

  get ca(): string {
    return join(this.folder, 'ca.pem');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closing.reverse()) await close().catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const regionAs = (name: string, region: Region): Killable => ({
  name,
  kill: () => region.kill(),
  start: () => region.start(),
  log: () => region.log(),
});
