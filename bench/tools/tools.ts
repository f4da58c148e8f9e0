// The suite of the agent tools: a list over stdio against the same list by HTTP, and the start of the tool server
// against a bare server of the same SDK.
import type { ChildProcess } from 'node:child_process';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { end, start as startChild, watchOthers, within } from '../harness/children.ts';
import { atLeast, atMost, type Bench, type Figure, rate, time } from '../harness/figure.ts';
import { measurePairs, type Round, type Side } from '../harness/pair.ts';
import { create, type Region, startRegion, withFolder } from '../harness/region.ts';
import { datacenters, wish } from '../harness/sides.ts';

export const toolsNote = 'sixteen calls at once; twenty datacenters in the list';

const main = join(import.meta.dirname, '../../bin/start.cjs');
const bare = join(import.meta.dirname, 'bare-server.ts');
const atOnce = 16;
const startLimitMs = 60_000;

const list: Figure = {
  name: 'list',
  title: 'list_datacenters over stdio',
  peer: 'the same GET by HTTP',
  demanded: '≥ 0.5',
  measure: (bench) =>
    withFolder(async (data) => {
      const region = await startRegion({ data });
      for (let made = 0; made < 20; made++) await create(region, datacenters, wish);
      const agent = await McpChild.open([main, 'agent'], environmentOf(region));
      const web = new Agent({ keepAlive: true, maxSockets: atOnce });
      try {
        const ours = roundsOf(bench, [region.pid, agent.pid], () =>
          agent.ask('tools/call', { name: 'list_datacenters' }),
        );
        const url = `http://127.0.0.1:${region.port}${datacenters}?depth=1&limit=100&offset=0`;
        const peer = roundsOf(bench, [region.pid], () => fetched(url, region.authorization, web));
        for (const side of [ours, peer]) await side.round();
        return atLeast(0.5, rate, await measurePairs(ours, peer, bench.pairs), []);
      } finally {
        web.destroy();
        await agent.close();
        await region.stop();
      }
    }),
};

const start: Figure = {
  name: 'start',
  title: 'start of the tool server to its first answer',
  peer: 'a bare server of the same SDK',
  demanded: '≤ 1.5',
  async measure(bench) {
    const env = { IONOS_API_URL: 'http://127.0.0.1:9', IONOS_TOKEN: 'x' };
    const ours: Side = { round: () => startTime([main, 'agent'], env) };
    const peer: Side = { round: () => startTime([bare], env) };
    for (const side of [ours, peer]) await side.round(); // makes the compile cache
    const listed = await startTime([main, 'agent'], env, 'tools/list');
    const note = `with the declarations of all products loaded, the list of tools is there after ${time(listed.value)}`;
    return atMost(1.5, time, await measurePairs(ours, peer, bench.pairs), [note]);
  },
};

export const toolsFigures: readonly Figure[] = [list, start];

const environmentOf = ({ port, authorization }: Region): Record<string, string> => ({
  IONOS_API_URL: `http://127.0.0.1:${port}`,
  IONOS_TOKEN: authorization.replace(/^Bearer /, ''),
});

function roundsOf({ roundMs }: Bench, pids: readonly number[], call: () => Promise<unknown>): Side {
  return {
    async round() {
      const others = watchOthers(process.pid, ...pids);
      const from = performance.now();
      let done = 0;
      const work = async (): Promise<void> => {
        while (performance.now() - from < roundMs) {
          await call();
          done += 1;
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return { value: done / ((performance.now() - from) / 1000), foreign: others() };
    },
  };
}

function fetched(url: string, authorization: string, agent: Agent): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get(url, { agent, headers: { authorization } }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    response.on('end', () => resolve(text));
  }).on('error', reject);
  return promise;
}

async function startTime(args: string[], env: Record<string, string>, method?: string): Promise<Round> {
  const from = performance.now();
  const child = await McpChild.open(args, env);
  if (method) await child.ask(method, {});
  const value = performance.now() - from;
  await child.close();
  return { value };
}

// An MCP server on its standard streams; it is open when it has answered to `initialize`.
class McpChild {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (line: string) => void>();
  #last = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    if (!child.stdout) throw new Error('the tool server has no standard output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const id = Number(/"id":(\d+)/.exec(line.slice(-40))?.[1] ?? JSON.parse(line).id);
      this.#waiting.get(id)?.(line);
      this.#waiting.delete(id);
    });
  }

  static async open(args: readonly string[], env: Record<string, string>): Promise<McpChild> {
    const stdio = ['pipe', 'pipe', 'ignore'] as const;
    const options = { stdio: [...stdio], env: { ...process.env, ...env } };
    const own = new McpChild(startChild('server', process.execPath, args, options));
    const clientInfo = { name: 'bench', version: '1.0' };
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    await within(startLimitMs, 'the start of a tool server', own.ask('initialize', hello));
    own.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return own;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  ask(method: string, params: object): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const id = ++this.#last;
    this.#waiting.set(id, resolve);
    this.#send({ jsonrpc: '2.0', id, method, params });
    return promise;
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    await end(this.#child);
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}
