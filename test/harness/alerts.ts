// Alerting as black-box tests use it: rules by API, a receiver of webhooks, and the lab's clock.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../src/testing/waiting.ts';
import type { Region } from './region.ts';

export const channels = '/monitoring/alerting/channels';
export const simpleRules = '/monitoring/alerting/rules';
export const rulesOf = (pipeline: string): string => `/monitoring/pipelines/${pipeline}/prometheus/config/v1/rules`;
export const readOf = (pipeline: string): string => `/monitoring/pipelines/${pipeline}/prometheus/api/v1`;

// Moves the clock. When this returns, all due evaluations have happened.
export async function pass(region: Region, ms: number): Promise<void> {
  const { status, body } = await region.call('PUT', '/lab/clock', { advanceMs: ms });
  assert.equal(status, 200, JSON.stringify(body));
}

// The region's time in seconds, by PromQL's time().
export async function secondsOf(region: Region): Promise<number> {
  const { body } = await region.call('GET', '/lab/clock');
  return Date.parse(String(body.now)) / 1000;
}

interface Payload {
  version: string;
  status: string;
  receiver: string;
  groupKey: string;
  groupLabels: Record<string, string>;
  externalURL: string;
  alerts: { status: string; labels: Record<string, string>; annotations: Record<string, string> }[];
}

interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  payload: Payload;
}

export class Receiver {
  status = 200;
  received: Received[] = [];
  #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Receiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        receiver.received.push({ headers: request.headers, text, payload: JSON.parse(text) as Payload });
        response.writeHead(receiver.status).end();
      });
    });
    const receiver = new Receiver(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/alerts`;
  }

  // The call of that number; the first is 1.
  async call(count: number): Promise<Received> {
    return until(`call ${count} comes`, () => this.received[count - 1]);
  }

  [Symbol.dispose](): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export function assertSigned({ headers, text }: Received, secret: string): void {
  const seconds = headers['x-cumulet-timestamp'];
  const wanted = createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex');
  assert.equal(headers['x-cumulet-signature'], `sha256=${wanted}`);
}
