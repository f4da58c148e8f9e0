// Stores a message of the forward protocol, or forwards it to the node with the logs. A message that can't be stored is
// not acknowledged, and the reason is logged once an hour.
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import type { forwardMessage, Message } from '../../surface/http/forward.ts';
import type { LogPipeline } from '../pipeline.ts';
import type { LogPushed } from '../push/push.ts';
import type { Pushes } from '../pushes.ts';
import type { ConnectionOptions } from './connection.ts';

export interface MessageKeeperOptions {
  pushes: Pushes;
  forward(messageOf: () => Message): ReturnType<typeof forwardMessage>;
  seal: Seal;
  log: Log;
  real: () => number;
}

const repeatMs = 3_600_000;
const mostLogged = 1000;

export function messageKeeper({ pushes, forward, seal, log, real }: MessageKeeperOptions): ConnectionOptions['keep'] {
  const loggedAt = new Map<string, number>();
  const logOnce = (pipeline: string, why: string): void => {
    const key = `${pipeline} ${why}`;
    if (real() - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
    if (loggedAt.size >= mostLogged) loggedAt.clear();
    loggedAt.set(key, real());
    log.warn('log lines were not stored', { pipeline, why });
  };
  return async (pipeline, message) => {
    const forwarded = await forward(() => messageOf(pipeline, seal, message));
    const { fault, dropped, reasons, ack } = forwarded
      ? outcomeOf(forwarded)
      : await pushes.push(pipeline, 'tcp', { format: 'forward', coding: 'identity', body: message });
    if (fault) logOnce(pipeline.id, fault.message);
    else if (dropped > 0) logOnce(pipeline.id, reasons.join('; ').replace(/\d{4}-\S+Z/g, 'some time'));
    return fault ? undefined : { ...(ack !== undefined && { ack }) };
  };
}

// Authenticated by the pipeline's key, like an HTTP client.
const messageOf = ({ number, sealedKey }: LogPipeline, seal: Seal, body: Uint8Array): Message => ({
  path: `/logging/ingest/${number}/fluent/v1/forward`,
  headers: { apikey: seal.open(sealedKey), 'content-type': 'application/msgpack' },
  body,
});

function outcomeOf({ status, body }: { status: number; body: string }): LogPushed {
  const none = { lines: 0, dropped: 0, reasons: [] };
  if (status !== 200) return { ...none, fault: { kind: 'unreadable', message: body.slice(0, 200) } };
  return { ...none, ...(JSON.parse(body) as Partial<LogPushed>) };
}
