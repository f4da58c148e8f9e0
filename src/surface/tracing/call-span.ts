// The span of a call that this node answers, and of a call that it forwards to another node. The attributes follow
// OpenTelemetry's conventions for HTTP, without url.path, url.full, url.query and client.address: paths and queries
// contain names of objects, keys and signatures, and addresses are personal data.
import { currentTrace, isSampled } from '../../base/trace/trace-context.ts';
import { type Attributes, type OpenSpan, openSpan, type SpanSink } from '../../core/tracing/span.ts';
import type { Exchange } from '../http/exchange.ts';

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function addCallSpan(x: Exchange, sink: SpanSink, status: number, ms: number): void {
  const trace = currentTrace();
  if (!trace || !isSampled(trace)) return;
  const attributes: Attributes = {
    ...requestAttributes(x),
    'http.route': templateOf(x),
    'http.response.status_code': status,
    'url.scheme': x.secure ? 'https' : 'http',
    'cumulet.service': x.service?.name,
    'cumulet.operation': x.route?.operation,
    'cumulet.request_id': x.id,
    'error.type': status >= 500 ? String(status) : undefined,
  };
  const { startedAt } = x;
  sink.add({ trace, name: nameOf(x), kind: 'server', startedAt, endedAt: startedAt + ms, attributes });
}

export function openForwardSpan(x: Exchange, sink: SpanSink | undefined, address: string): OpenSpan | undefined {
  if (!sink) return undefined;
  const { protocol, hostname, port } = new URL(address);
  const attributes: Attributes = {
    ...requestAttributes(x),
    'url.template': templateOf(x),
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
  };
  return openSpan(sink, { name: nameOf(x), kind: 'client', attributes });
}

// Of a forwarded call.
export const answerAttributes = (status: number): Attributes => ({
  'http.response.status_code': status,
  'error.type': status >= 400 ? String(status) : undefined,
});

const requestAttributes = ({ method }: Exchange): Attributes => ({
  'http.request.method': methods.has(method) ? method : '_OTHER',
});

// Without a route, the path is the client's text.
function nameOf(x: Exchange): string {
  const method = methods.has(x.method) ? x.method : 'HTTP';
  const template = templateOf(x);
  return template === undefined ? method : `${method} ${template}`;
}

const templateOf = ({ prefix, route }: Exchange): string | undefined => route && prefix + route.path;
