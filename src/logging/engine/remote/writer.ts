// The write side on a log server: as durable as that server. The server or the reader merges repeated chunks; the
// server's own retention removes old lines.
import { Fault } from '../../../base/fault.ts';
import type { AppendJob, LogWriter, StreamLines } from '../engine.ts';
import type { LogFigures } from '../figures.ts';
import { mostLineBytes } from '../packed-job.ts';
import { type Dialect, ownLabel } from './dialect.ts';
import type { Server } from './server.ts';

export class RemoteWriter implements LogWriter {
  readonly #server: Server;
  readonly #dialect: Dialect;
  readonly #warn: (message: string) => void;
  readonly #figures = { appendedLines: 0, appendedBytes: 0 };
  #isWarned = false;

  constructor(server: Server, dialect: Dialect, warn: (message: string) => void) {
    this.#server = server;
    this.#dialect = dialect;
    this.#warn = warn;
  }

  async append(jobs: readonly AppendJob[]): Promise<void> {
    await Promise.all(jobs.map((job) => this.#push(job)));
  }

  async prune(): Promise<void> {}

  async drop(tenant: string): Promise<void> {
    const refused = await this.#dialect.drop(tenant);
    if (refused === undefined || this.#isWarned) return;
    this.#isWarned = true;
    this.#warn(`lines of a pipeline that was removed stay in the log server: ${refused}`);
  }

  async tidy(): Promise<boolean> {
    return false;
  }

  async figures(): Promise<LogFigures> {
    return { ...this.#figures };
  }

  async close(): Promise<void> {}

  async #push({ tenant, streams }: AppendJob): Promise<void> {
    for (const { lines } of streams) for (const line of lines) this.#check(line);
    const body = JSON.stringify({ streams: streams.map((stream) => pushOf(tenant, stream)) });
    const headers = { 'Content-Type': 'application/json', ...this.#dialect.headers(tenant) };
    await this.#server.post(this.#dialect.pushPath, body, headers);
    this.#figures.appendedLines += streams.reduce((sum, { lines }) => sum + lines.length, 0);
    this.#figures.appendedBytes += body.length;
  }

  #check(line: string): void {
    const length = Buffer.byteLength(line);
    if (length > mostLineBytes)
      throw new Fault('refused', `A line has ${length} bytes; at most ${mostLineBytes} are allowed.`);
  }
}

const pushOf = (tenant: string, { labels, times, lines, metadata }: StreamLines): object => ({
  stream: { ...labels, [ownLabel]: tenant },
  values: lines.map((line, at) => [String(times[at]), line, ...(metadata?.[at] ? [metadata[at]] : [])]),
});
