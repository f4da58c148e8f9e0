// The calls of the demo's load and their intervals. Each flow uses an interface of the region as a client would.
import type { Values } from '../../base/json.ts';
import type { S3Client } from '../../core/s3-client/client.ts';
import type { OperatorLab } from '../../surface/operator.ts';
import {
  cpuAt,
  lineAt,
  metadata,
  orderAt,
  type Series,
  ShopFigures,
  trafficAt,
  visitorAt,
  workersCpuAt,
} from './shop-activity.ts';

export interface Flow {
  everyMs: number;
  send(at: number): Promise<void>;
}

export type Post = (body: unknown) => Promise<void>;

export const invoicePrefix = 'invoices/';
const mostInvoices = 60;
const earlierOrders = 20;
const historyMs = 3 * 3_600_000;
const sampleMs = 30_000;
const lineMs = 2000;

export const postTo =
  (url: string, key: string): Post =>
  async (body) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { apikey: key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`${url} returned ${answer.status}`);
  };

const timesUntil = (at: number, stepMs: number): number[] =>
  Array.from({ length: historyMs / stepMs }, (_, index) => at - historyMs + (index + 1) * stepMs);

// The first push of a new demo contains the last hours, so that charts are not empty.
export function metricsFlow(post: Post, startedAt: number, withHistory: boolean): Flow {
  const figures = new ShopFigures(startedAt - (withHistory ? historyMs : 0));
  let times = withHistory ? timesUntil(startedAt, sampleMs) : [];
  return {
    everyMs: 10_000,
    async send(at) {
      await post(pushOf([...times, at].map((time) => [time, figures.until(time)])));
      times = [];
    },
  };
}

function pushOf(moments: readonly (readonly [time: number, all: Series[]])[]): object {
  const series = new Map<string, { labels: Series['labels']; samples: [number, number][] }>();
  for (const [time, all] of moments) {
    for (const { labels, value } of all) {
      const key = JSON.stringify(labels);
      const one = series.get(key) ?? { labels, samples: [] };
      one.samples.push([time, value]);
      series.set(key, one);
    }
  }
  return { timeseries: [...series.values()], metadata };
}

export function linesFlow(post: Post, startedAt: number, withHistory: boolean): Flow {
  let times = withHistory ? timesUntil(startedAt, lineMs) : [];
  return {
    everyMs: lineMs,
    async send(at) {
      await post([...times, at].map(lineAt));
      times = [];
    },
  };
}

export const machineFlow = (lab: OperatorLab, contract: number, server: string, index: number): Flow => ({
  everyMs: 60_000,
  async send(at) {
    const bytes = Math.round(trafficAt(at) * 40_000);
    const load = {
      cpuPercent: cpuAt(at, index),
      networkInBytesPerSecond: bytes,
      networkOutBytesPerSecond: 4 * bytes,
    };
    await lab['lab/load']({ contract, server, load });
  },
});

export const workersFlow = (lab: OperatorLab, contract: number, group: string): Flow => ({
  everyMs: 60_000,
  async send(at) {
    await lab['lab/group']({ contract, group, load: { cpuPercent: workersCpuAt(at) } });
  },
});

export const visitorsFlow = (lab: OperatorLab, contract: number, address: string): Flow => ({
  everyMs: 4000,
  async send(at) {
    const packet = {
      from: { address: visitorAt(at) },
      to: { address, port: 80 },
      protocol: 'TCP',
      http: { path: String(lineAt(at).path ?? '/') },
      packets: 12,
      bytes: 9000,
    };
    await lab['lab/traffic']({ contract, packet });
  },
});

// Invoices replace older ones, so that the bucket does not grow.
export function objectsFlow(s3: S3Client, bucket: string): Flow {
  return {
    everyMs: 15_000,
    async send(at) {
      const order = orderAt(at);
      const key = `${invoicePrefix}${String(Math.floor(at / 15_000) % mostInvoices).padStart(3, '0')}.json`;
      const put = await s3.call({
        method: 'PUT',
        bucket,
        key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(order, undefined, 2),
      });
      await put.body?.cancel();
      const got = await s3.call({ method: 'GET', bucket, key: 'index.html' });
      await got.body?.cancel();
      if (!put.ok) throw new Error(`the object storage returned ${put.status}`);
    },
  };
}

export type Produce = (topic: string, key: string, value: Values) => Promise<void>;

export function ordersFlow(produce: Produce, withHistory: boolean): Flow {
  let earlier = withHistory ? earlierOrders : 0;
  return {
    everyMs: 4000,
    async send(at) {
      const order = orderAt(at);
      for (; earlier > 0; earlier--) {
        const one = orderAt(at - earlier * 60_000);
        await produce('orders', one.customer, { ...one });
      }
      await produce('orders', order.customer, { ...order });
      if (Math.floor(at / 4000) % 3 === 0)
        await produce('shipments', order.order, { order: order.order, carrier: 'bike', sentAt: order.placedAt });
    },
  };
}
