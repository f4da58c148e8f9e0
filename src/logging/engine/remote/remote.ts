// The engine that keeps lines in a log server: Loki or VictoriaLogs.
import type { LogReader, LogWriter } from '../engine.ts';
import type { Dialect } from './dialect.ts';
import { lokiDialect } from './loki.ts';
import { RemoteReader } from './reader.ts';
import { Server } from './server.ts';
import { victoriaDialect } from './victoria-logs.ts';
import { RemoteWriter } from './writer.ts';

const dialects = { loki: lokiDialect, victorialogs: victoriaDialect };
const dialectOf = (server: Server): Dialect => dialects[server.kind](server);

export function openRemoteWriter(address: string, warn: (message: string) => void): LogWriter {
  const server = new Server(address);
  return new RemoteWriter(server, dialectOf(server), warn);
}

export const openRemoteReader = (address: string): LogReader => new RemoteReader(dialectOf(new Server(address)));
