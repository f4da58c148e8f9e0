// The engine that stores lines in a log server: Loki or VictoriaLogs.
import type { LogReader, LogWriter } from '../engine.ts';
import type { DialectOf } from './dialect.ts';
import { RemoteReader } from './reader.ts';
import { Server } from './server.ts';
import { RemoteWriter } from './writer.ts';

export function openRemoteWriter(address: string, dialect: DialectOf, warn: (message: string) => void): LogWriter {
  const server = new Server(address);
  return new RemoteWriter(server, dialect(server), warn);
}

export const openRemoteReader = (address: string, dialect: DialectOf): LogReader =>
  new RemoteReader(dialect(new Server(address)));
