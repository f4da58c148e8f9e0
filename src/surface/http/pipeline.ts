// The life of a request: one visible array of stages, then the answer. A Fault becomes the payload of the service's own
// protocol here and nowhere else. Whatever else is thrown is a bug: it is logged whole, and the client gets its id.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { newTrace, type Trace, traceIn, withTrace } from '../../base/trace/trace-context.ts';
import { addCallSpan } from '../tracing/call-span.ts';
import { Exchange, type Reply, type Service } from './exchange.ts';
import { renderPlatformFault } from './payload.ts';
import { render } from './render.ts';
import type { RequestEntry } from './request-feed.ts';
import {
  address,
  addressThrottle,
  authenticate,
  authorize,
  body,
  call,
  contractThrottle,
  keeper,
  noteRefusal,
  requestId,
  route,
  type Stage,
  type Surface,
} from './stages.ts';

const stages: readonly Stage[] = [
  requestId,
  address,
  addressThrottle,
  route,
  authenticate,
  contractThrottle,
  authorize,
  keeper,
  body,
  call,
];

const slowMs = 1000;

export type Handler = (req: IncomingMessage, res: ServerResponse, secure: boolean) => void;

// With a service, all calls are for that one, whatever their host and path.
export function createHandler(surface: Surface, service?: Service): Handler {
  return (req, res, secure) => {
    const x = new Exchange(req, res, secure);
    x.service = service;
    x.bodyMemory = surface.bodyMemory;
    void withTrace(traceOf(req, surface), () => live(x, res, surface));
  };
}

// Without an export, a call has only the trace that the client sent.
export const traceOf = ({ headers }: IncomingMessage, { spans }: Surface): Trace | undefined =>
  traceIn(headers) ?? (spans && newTrace());

async function live(x: Exchange, res: ServerResponse, surface: Surface): Promise<void> {
  try {
    await pass(x, surface, stages);
    const pending = render(x, res);
    if (pending) await pending;
  } catch (error) {
    // A bug in the answering itself, or a stream that broke, costs this one call, not the region.
    surface.log.error('bug', { id: x.id, operation: x.route?.operation, error });
    res.destroy();
  } finally {
    surface.bodyMemory.release(x);
  }
  account(x, surface, x.reply?.status ?? 499);
}

// Ends at the stage that has a reply.
export async function pass(x: Exchange, surface: Surface, stages: readonly Stage[]): Promise<void> {
  try {
    for (const stage of stages) {
      const pending = stage(x, surface);
      if (pending) await pending;
      if (x.reply) return;
    }
  } catch (error) {
    fail(x, surface, error);
  }
}

function fail(x: Exchange, surface: Surface, error: unknown): void {
  if (error instanceof Fault) {
    x.reply = renderFault(x, error);
    noteRefusal(x, surface, x.reply.status, error);
    if (error.kind === 'unavailable')
      surface.log.warn('unavailable', { id: x.id, operation: x.route?.operation, error });
    return;
  }
  if (x.req.destroyed && !x.req.complete) return; // the client disconnected before its body was complete
  if (x.signal.aborted && error === x.signal.reason) return; // a source of the answer ended with its client
  surface.log.error('bug', { id: x.id, operation: x.route?.operation, error });
  x.reply = renderFault(x, new Fault('internal', `An internal error happened. Its id is ${x.id}.`));
}

const renderFault = (x: Exchange, fault: Fault): Reply =>
  x.service ? x.service.renderFault(fault, x) : renderPlatformFault(fault);

export function account(x: Exchange, surface: Surface, status: number): void {
  const ms = performance.now() - x.startedAt;
  if (surface.spans) addCallSpan(x, surface.spans, status, ms);
  surface.metrics.request(x.service?.name ?? 'none', x.route?.operation ?? 'none', status, ms);
  const entry = entryOf(x, status, ms);
  surface.feed.add(entry);
  const isChange = x.method !== 'GET' && x.method !== 'HEAD' && x.caller && !isFrequent(x);
  if (!isChange && status < 500 && ms < slowMs) return;
  const { time: _time, address: _address, ...logged } = entry;
  surface.log.info('request', { id: x.id, ...logged });
}

const isFrequent = ({ caller, route }: Exchange): boolean => caller?.kind === 'key' || route?.auditOnce !== undefined;

const entryOf = (x: Exchange, status: number, ms: number): RequestEntry => ({
  time: machineTime(),
  operation: x.route?.operation ?? '',
  method: x.method,
  path: x.prefix + x.path,
  status,
  ms: Math.round(ms),
  address: x.address,
  ...(x.caller && { contract: x.caller.contract, user: x.caller.user }),
});
