// A chat completion as a stream of server-sent events.
import { ApiError, send } from '../../api.ts';
import { eventsOf } from '../../event-stream.ts';
import { refusalOf } from '../failure.ts';
import { apiPath } from '../models.ts';
import type { ChatBody, ToolCall } from './request.ts';

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
}

export interface Chunk {
  text?: string;
  reasoning?: string;
  call?: ToolCall;
  finish?: string;
  usage?: Usage;
}

export interface Opened {
  servedBy: string;
  chunks: AsyncGenerator<Chunk>;
}

export async function openStream(body: ChatBody, signal: AbortSignal): Promise<Opened> {
  const response = await send(`${apiPath}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    signal,
  });
  if (!response.ok || !response.body) throw await refusalOf(response);
  return { servedBy: response.headers.get('x-served-by') ?? '', chunks: chunksOf(eventsOf(response.body)) };
}

interface ChunkBody {
  error?: { message: string; code?: string | null };
  choices?: {
    delta?: { content?: string | null; reasoning_content?: string; tool_calls?: ToolCall[] };
    finish_reason?: string | null;
  }[];
  usage?: Usage | null;
}

// A stream that ends without [DONE] is incomplete.
export async function* chunksOf(events: AsyncIterable<{ data: string }>): AsyncGenerator<Chunk> {
  for await (const { data } of events) {
    if (data === '[DONE]') return;
    if (data === '') continue; // a comment
    const { error, choices = [], usage } = JSON.parse(data) as ChunkBody;
    if (error) throw new ApiError(0, [{ errorCode: error.code ?? 'error', message: error.message }]);
    const [choice] = choices;
    const { content, reasoning_content: reasoning, tool_calls: calls = [] } = choice?.delta ?? {};
    if (content) yield { text: content };
    if (reasoning) yield { reasoning };
    for (const call of calls) yield { call };
    if (choice?.finish_reason) yield { finish: choice.finish_reason };
    if (usage) yield { usage };
  }
  throw new ApiError(0, [
    { errorCode: '0', message: 'The connection ended before the answer was complete. Try again.' },
  ]);
}
