// A reader's connection to the writer's index. A restarted writer has a new port; pending requests to the old one fail
// with that reason.
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import type { HeadLines } from '../engine/embedded/head.ts';
import type { SearchFigures, Snapshot, SnapshotSource } from '../engine/embedded/snapshot.ts';
import type { LogSelection } from '../engine/engine.ts';
import type { TextColumn } from '../engine/packed-job.ts';
import type { SnapshotReply, SnapshotRequest } from './messages.ts';

export class SnapshotClient implements SnapshotSource {
  #port = Promise.withResolvers<MessagePort>();
  #current: MessagePort | undefined;
  readonly #pending = new Map<number, PromiseWithResolvers<Snapshot>>();
  #number = 0;

  connect(port: MessagePort): void {
    this.#current?.close();
    if (this.#current) this.#port = Promise.withResolvers();
    this.#current = port;
    port.on('message', (reply: SnapshotReply) => this.#settle(reply));
    port.on('close', () => this.#lose(port));
    port.unref();
    this.#port.resolve(port);
  }

  async snapshot(selection: LogSelection): Promise<Snapshot> {
    const port = await this.#port.promise;
    const ask = ++this.#number;
    const pending = Promise.withResolvers<Snapshot>();
    this.#pending.set(ask, pending);
    port.postMessage({ ask, selection } satisfies SnapshotRequest);
    return pending.promise;
  }

  release(number: number, done?: SearchFigures): void {
    this.#current?.postMessage({ release: number, ...(done && { done }) } satisfies SnapshotRequest);
  }

  #settle({ answers, snapshot, failure }: SnapshotReply): void {
    const pending = this.#pending.get(answers);
    this.#pending.delete(answers);
    if (snapshot) pending?.resolve(revived(snapshot));
    else pending?.reject(new Fault('unavailable', failure ?? 'The log engine did not answer.', { retryAfterS: 1 }));
  }

  #lose(port: MessagePort): void {
    if (port !== this.#current) return;
    for (const pending of this.#pending.values())
      pending.reject(new Fault('unavailable', 'The log engine was restarted. Try again.', { retryAfterS: 1 }));
    this.#pending.clear();
    this.#port = Promise.withResolvers();
    this.#current = undefined;
  }
}

// A Buffer arrives as its base type, an array of bytes.
function revived({ number, streams }: Snapshot): Snapshot {
  const text = ({ ends, bytes }: TextColumn): TextColumn => ({
    ends,
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  });
  const head = ({ lines, metadata, ...rest }: HeadLines): HeadLines => ({
    ...rest,
    lines: text(lines),
    ...(metadata && { metadata: text(metadata) }),
  });
  return { number, streams: streams.map((part) => ({ ...part, heads: part.heads.map(head) })) };
}
