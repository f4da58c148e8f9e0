// A collector of traces on this machine, which keeps the spans that it gets by OTLP's JSON encoding.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './waiting.ts';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
  attributes: Record<string, string>;
  resource: Record<string, string>;
}

type Listed = { key: string; value: { stringValue?: string; intValue?: string | number } }[];

interface Export {
  resourceSpans: {
    resource: { attributes: Listed };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes' | 'resource'> & { attributes?: Listed })[] }[];
  }[];
}

export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly bodies: string[] = []; // of all exports
  status = 200; // of the next answers
  #server = createServer((req, res) => {
    void this.#receive(req).then(() => res.writeHead(this.status, { 'content-type': 'application/json' }).end('{}'));
  });

  async listen(port = 0): Promise<this> {
    await once(this.#server.listen(port, '127.0.0.1'), 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  // All spans of a trace, as soon as it has so many.
  async trace(traceId: string, count: number): Promise<ReceivedSpan[]> {
    const of = (): ReceivedSpan[] => this.spans.filter((span) => span.traceId === traceId);
    return until(`${count} spans of the trace ${traceId}`, of, (spans) => spans.length >= count);
  }

  async #receive(req: IncomingMessage): Promise<void> {
    const body = (await req.setEncoding('utf8').toArray()).join('');
    if (req.url !== '/v1/traces') throw new Error(`no traces are sent to ${req.url}`);
    this.bodies.push(body);
    if (this.status !== 200) return;
    for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans)
      for (const { attributes = [], ...span } of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({ ...span, attributes: valuesOf(attributes), resource: valuesOf(resource.attributes) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close().closeAllConnections();
    await once(this.#server, 'close');
  }
}

const valuesOf = (attributes: Listed): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(value.stringValue ?? value.intValue)]));
