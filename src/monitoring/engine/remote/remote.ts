// The engine that keeps metrics in a Prometheus-compatible server elsewhere. It is as durable as that server's answer.
// What this engine can't do there: series that ended are not told as ended (stale marks do not leave such servers),
// samples out of order or twice are taken as far as the server takes them, and old ones go when the server lets them
// go.
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
