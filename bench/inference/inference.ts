// The suite of model inference: SmolLM2 behind the whole API of a region, against llama.cpp's own server on the same
// file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../harness/children.ts';
import { atLeast, atMost, type Bench, type Figure, rate, time } from '../harness/figure.ts';
import { measurePairs } from '../harness/pair.ts';
import { callTimes, complete, freshPrompt, rateOf } from './load.ts';
import { openLlamaServer, openOurs, type Server } from './servers.ts';

export const inferenceNote =
  'SmolLM2-135M-Instruct Q4_1, a thread for each core but one, 8 texts at once, both sides with the same priority';
const peer = "llama.cpp's own server";

interface Sides {
  ours: Server;
  peer: Server;
}

// Each is started once for all figures; the end of the run ends it.
const started: { ours?: Promise<Server>; peer?: Promise<Server> } = {};

async function ours(): Promise<Server> {
  started.ours ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-bench-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return warm(await openOurs(folder));
  })();
  return started.ours;
}

async function sides(): Promise<Sides> {
  started.peer ??= openLlamaServer().then(warm);
  return { peer: await started.peer, ours: await ours() };
}

async function warm(server: Server): Promise<Server> {
  await complete(server, freshPrompt(20), 16);
  return server;
}

const pairsOf = (bench: Bench): number => (bench.quick ? 1 : 3);

const decode = (clients: number, least: number): Figure => ({
  name: `decode-${clients}`,
  title: `tokens a second, ${clients} ${clients === 1 ? 'client' : 'clients'} at once, 96 tokens each`,
  peer,
  demanded: `≥ ${least.toFixed(2)}`,
  async measure(bench) {
    const both = await sides();
    const side = (server: Server) => ({
      round: () => rateOf(server, async () => (await complete(server, freshPrompt(20), 96)).tokens, clients),
    });
    return atLeast(least, rate, await measurePairs(side(both.ours), side(both.peer), pairsOf(bench)), []);
  },
});

const prefill: Figure = {
  name: 'prefill',
  title: 'tokens of a new prompt of 2,000 a second',
  peer,
  demanded: '≥ 0.85',
  async measure(bench) {
    const both = await sides();
    const side = (server: Server) => ({
      round: () => rateOf(server, async () => (await complete(server, freshPrompt(2000), 1)).promptTokens, 1),
    });
    return atLeast(0.85, rate, await measurePairs(side(both.ours), side(both.peer), pairsOf(bench)), []);
  },
};

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const firstToken: Figure = {
  name: 'first-token',
  title: 'time to the first token of a new prompt of 100, the median of 9',
  peer,
  demanded: '≤ 1.30',
  async measure(bench) {
    const both = await sides();
    const side = (server: Server) => ({
      async round() {
        const times: number[] = [];
        for (let at = 0; at < 9; at++) times.push((await complete(server, freshPrompt(100), 2)).firstMs);
        return { value: median(times) };
      },
    });
    return atMost(1.3, time, await measurePairs(side(both.ours), side(both.peer), pairsOf(bench)), []);
  },
};

const prefix: Figure = {
  name: 'shared-prefix',
  title: 'time to the first token of a prompt whose first 2,000 tokens another request of the contract had',
  peer: 'that other request',
  demanded: '≤ 0.30',
  async measure(bench) {
    const server = await ours();
    let prompt = '';
    const first = { round: async () => ({ value: (await complete(server, prompt, 2)).firstMs }) };
    const second = {
      async round() {
        prompt = freshPrompt(2000);
        const { value } = await first.round();
        const again = await complete(server, `${prompt} And then?`, 2);
        return { value: again.firstMs / value };
      },
    };
    const one = { round: async () => ({ value: 1 }) };
    const share = (value: number): string => value.toFixed(2);
    return atMost(0.3, share, await measurePairs(second, one, pairsOf(bench)), []);
  },
};

const otherCalls: Figure = {
  name: 'other-calls',
  title: 'p99 of GET /datacenters, one after the other, while 4 streams run',
  peer: 'the same while none run',
  demanded: '≤ 3.00',
  async measure(bench) {
    const server = await ours();
    const streams = () => Promise.all([1, 2, 3, 4].map(() => complete(server, freshPrompt(20), 96)));
    const busy = { round: async () => ({ value: await callTimes(server, streams()) }) };
    const idle = { round: async () => ({ value: await callTimes(server, pause(bench.roundMs)) }) };
    return atMost(3, time, await measurePairs(busy, idle, pairsOf(bench)), []);
  },
};

export const inferenceFigures: readonly Figure[] = [
  decode(1, 0.9),
  decode(4, 0.8),
  decode(16, 0.6),
  prefill,
  firstToken,
  prefix,
  otherCalls,
];
