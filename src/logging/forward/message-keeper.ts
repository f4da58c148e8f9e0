// Keeps a message of the forward protocol: here, or on the node that has the lines. What can't be kept is not
// acknowledged, and told once in a while.
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import type { LogPipeline } from '../pipeline.ts';
import type { LogPushed } from '../push/push.ts';
import type { Pushes } from '../pushes.ts';
import type { ConnectionOptions } from './connection.ts';

export interface MessageKeeperOptions {
  pushes: Pushes;
  elsewhere(): Promise<string | undefined>;
  seal: Seal;
  log: Log;
  real: () => number;
}

const repeatMs = 3_600_000;
const mostTold = 1000;

export function messageKeeper({ pushes, elsewhere, seal, log, real }: MessageKeeperOptions): ConnectionOptions['keep'] {
  const told = new Map<string, number>();
  const tellOnce = (pipeline: string, why: string): void => {
    const key = `${pipeline} ${why}`;
    if (real() - (told.get(key) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
    if (told.size >= mostTold) told.clear();
    told.set(key, real());
    log.warn('log lines were not kept', { pipeline, why });
  };
  return async (pipeline, message) => {
    const away = await elsewhere();
    const { fault, dropped, reasons, ack } =
      away === undefined
        ? await pushes.push(pipeline, 'tcp', { format: 'forward', coding: 'identity', body: message })
        : await handOn(away, pipeline, seal.open(pipeline.sealedKey), message);
    if (fault) tellOnce(pipeline.id, fault.message);
    else if (dropped > 0) tellOnce(pipeline.id, reasons.join('; ').replace(/\d{4}-\S+Z/g, 'some time'));
    return fault ? undefined : { ...(ack !== undefined && { ack }) };
  };
}

async function handOn(address: string, { number }: LogPipeline, key: string, message: Uint8Array): Promise<LogPushed> {
  const answer = await fetch(new URL(`/logging/ingest/${number}/fluent/v1/forward`, address), {
    method: 'POST',
    headers: { apikey: key, 'content-type': 'application/msgpack' },
    body: new Uint8Array(message),
    signal: AbortSignal.timeout(30_000),
  });
  const none = { lines: 0, dropped: 0, reasons: [] };
  if (!answer.ok) return { ...none, fault: { kind: 'unreadable', message: (await answer.text()).slice(0, 200) } };
  return { ...none, ...((await answer.json()) as Partial<LogPushed>) };
}
