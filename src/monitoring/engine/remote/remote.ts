// The engine that stores metrics in a Prometheus-compatible server. It is as durable as that server. Its limits: such
// servers do not return stale markers, samples out of order or with the same time are stored as far as the server
// supports it, and old samples are removed by the server's retention.
import type { Push, Sink } from '../../push/sink.ts';
import type { MetricReader, MetricWriter } from '../engine.ts';
import { RemoteReader } from './reader.ts';
import { Server } from './server.ts';
import { RemoteWriter } from './writer.ts';

export interface RemoteWriterOptions {
  url: string;
  decode: (push: Push, sink: Sink) => void;
  warn?: (message: string) => void;
}

export async function openRemoteWriter({ url, decode, warn }: RemoteWriterOptions): Promise<MetricWriter> {
  return new RemoteWriter(new Server(url), decode, warn ?? ((message) => process.emitWarning(message)));
}

export async function openRemoteReader({ url }: { url: string }): Promise<MetricReader> {
  return new RemoteReader(new Server(url));
}

// Removes all samples of some tenants. Returns undefined, or why the server does not delete them.
export async function dropAll(url: string, tenants: readonly string[]): Promise<string | undefined> {
  const refused: string[] = [];
  const writer = new RemoteWriter(
    new Server(url),
    () => {},
    (message) => refused.push(message),
  );
  for (const tenant of tenants) {
    await writer.drop(tenant);
    if (refused.length > 0) break;
  }
  await writer.close();
  return refused[0];
}
