// Chunks as server-sent events, with [DONE] at the end. A failure before the first chunk is answered like any fault; a
// later failure is an event with the error, without [DONE].
import { Fault } from '../../base/fault.ts';
import type { Exchange, Reply } from '../../surface/http/exchange.ts';
import { eventStream, type ServerSentEvent } from '../../surface/http/streams.ts';
import { errorOf } from './faults.ts';

export function chunkStream(x: Exchange, chunks: AsyncIterable<object>, headers: string[]): Reply {
  const reply = eventStream(x, eventsOf(chunks));
  return { ...reply, headers: [...(reply.headers ?? []), ...headers] };
}

async function* eventsOf(chunks: AsyncIterable<object>): AsyncGenerator<ServerSentEvent> {
  let isBegun = false;
  try {
    for await (const chunk of chunks) {
      isBegun = true;
      yield { data: JSON.stringify(chunk) };
    }
  } catch (error) {
    if (!isBegun || !(error instanceof Fault)) throw error;
    yield { data: JSON.stringify({ error: errorOf(error) }) };
    return;
  }
  yield { data: '[DONE]' };
}
