// The main thread's side of an answer: its head, then its body in pieces, which the reader sends as fast as they are
// read here.
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import type { AnswerControl, AnswerMessage } from './messages.ts';
import type { LogAnswer } from './question.ts';

// `call` ends with the answer, or fails with the reason why there is none.
export async function receiveAnswer(port: MessagePort, call: Promise<void>, signal?: AbortSignal): Promise<LogAnswer> {
  const pieces: Uint8Array[] = [];
  const head = Promise.withResolvers<{ status: number; contentType?: string }>();
  let failure: { error: unknown } | undefined;
  let isEnded = false;
  let wake: (() => void) | undefined;
  const tell = (message: AnswerControl): void => port.postMessage(message);

  port.on('message', (message: AnswerMessage) => {
    if ('status' in message) head.resolve(message);
    else if ('piece' in message) pieces.push(message.piece);
    else isEnded = true;
    wake?.();
  });
  call.catch((error: unknown) => {
    failure = { error };
    head.reject(error);
    port.close();
    wake?.();
  });
  // Waiting code is informed at once: a reader that aborts a query sends nothing more.
  const leave = (): void => {
    tell({ abort: true });
    head.reject(new Fault('unavailable', 'The client disconnected.'));
    wake?.();
  };
  signal?.addEventListener('abort', leave, { once: true });
  if (signal?.aborted) leave();

  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const piece = pieces.shift();
        if (piece) {
          yield piece;
          tell({ taken: piece.byteLength });
        } else if (failure) throw failure.error;
        else if (isEnded || signal?.aborted) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      if (!isEnded) leave();
      signal?.removeEventListener('abort', leave);
      port.close();
    }
  }
  return { ...(await head.promise), body: body() };
}
