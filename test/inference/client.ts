// Calls to the inference API without a client library.
import assert from 'node:assert/strict';
import type { Answer, CallOptions, Region } from '../harness/region.ts';

export const chatModel = 'mistralai/Mistral-Small-24B-Instruct';
export const embeddingModel = 'BAAI/bge-m3';
export const imageModel = 'black-forest-labs/FLUX.1-schnell';
export const inference = '/inference/v1';

export interface Failure {
  error: { message: string; type: string; param: string | null; code: string | null };
}

export interface Chat {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: {
    index: number;
    message: { role: string; content: string | null; tool_calls?: Call[] };
    finish_reason: string;
    logprobs: { content: { token: string; logprob: number; top_logprobs: object[] }[] } | null;
  }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

export interface Call {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

export interface Chunk {
  id: string;
  object: string;
  choices: {
    index: number;
    delta: { role?: string; content?: string; tool_calls?: Call[] };
    finish_reason: string | null;
  }[];
  usage?: Chat['usage'] | null;
  error?: Failure['error'];
}

export const post = <T>(region: Region, path: string, body: unknown, options?: CallOptions): Promise<Answer<T>> =>
  region.call<T>('POST', `${inference}${path}`, body, options);

// The answer in a chat, with the usual model and messages by default.
export async function chat(region: Region, body: object = {}): Promise<Chat> {
  const { status, body: answer } = await post<Chat>(region, '/chat/completions', { ...usual, ...body });
  assert.equal(status, 200, JSON.stringify(answer));
  return answer;
}

export const usual = { model: chatModel, messages: [{ role: 'user', content: 'What is a region of a cloud?' }] };

// The data of the events of a stream, without [DONE], which has to be the last one.
export async function streamed(region: Region, body: object = {}, path = '/chat/completions'): Promise<Chunk[]> {
  const answer = await post<string>(region, path, { ...usual, ...body, stream: true });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.match(String(answer.headers['content-type']), /^text\/event-stream/);
  const events = answer.body.split('\n\n').filter(Boolean);
  assert.equal(events.pop(), 'data: [DONE]');
  return events.map((event) => JSON.parse(event.replace(/^data: /, '')) as Chunk);
}

export const textOf = (chunks: readonly Chunk[]): string =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
