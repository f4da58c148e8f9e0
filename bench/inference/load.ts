// Requests for text, measured by their client.
import { cpuSeconds, watchOthers } from '../harness/children.ts';
import type { Round } from '../harness/pair.ts';
import { modelOf, type Server } from './servers.ts';

export interface Completion {
  firstMs: number; // until the first text
  tokens: number;
  promptTokens: number;
}

let promptCount = 0;

// A prompt that no request had before, of about so many tokens.
export const freshPrompt = (words: number): string =>
  `Chapter ${promptCount++}.${' The cat sat down and told a long story.'.repeat(Math.ceil(words / 9))}`;

export async function complete(server: Server, prompt: string, maxTokens: number): Promise<Completion> {
  const began = performance.now();
  const body = {
    model: modelOf(),
    prompt,
    max_tokens: maxTokens,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
  };
  const headers = { 'content-type': 'application/json', ...server.headers };
  const answer = await fetch(`${server.url}/completions`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok || !answer.body) throw new Error(`${answer.status}: ${await answer.text()}`);
  let firstMs = 0;
  let text = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    firstMs ||= performance.now() - began;
    text += chunk;
  }
  const last = text.split('\n').findLast((line) => line.includes('"usage":{'));
  const { usage } = JSON.parse(last?.replace('data: ', '') ?? '{}') as { usage: Record<string, number> };
  const { completion_tokens: tokens = 0, prompt_tokens: promptTokens = 0 } = usage;
  return { firstMs, tokens, promptTokens };
}

// Work per second, of many clients at once.
export async function rateOf(server: Server, work: () => Promise<number>, clients: number): Promise<Round> {
  const pids = server.pids();
  const spent = (): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const others = watchOthers(...pids);
  const [began, before] = [performance.now(), spent()];
  const done = await Promise.all(Array.from({ length: clients }, work));
  const total = done.reduce((sum, one) => sum + one, 0);
  const value = (total * 1000) / (performance.now() - began);
  return { value, foreign: others(), perCpuSecond: total / (spent() - before) };
}

// How long another call takes, p99, until the work is done.
export async function callTimes(server: Server, work: Promise<unknown>): Promise<number> {
  const times: number[] = [];
  let isDone = false;
  const end = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const began = performance.now();
    await server.get('/cloudapi/v6/datacenters');
    times.push(performance.now() - began);
  }
  await end;
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
