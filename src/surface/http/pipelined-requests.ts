// Requests that a client sends before it has the answers to earlier ones. A connection has a few answers in flight. Its
// other requests wait, and the connection is not read, so a client that reads no answers costs no more than those.
// Waiting requests are handled one per turn of the event loop, each connection in its turn: others are served in
// between. One connection is accepted per turn, so that turns in which one was accepted are kept short.
import type { Socket } from 'node:net';

const mostAtOnce = 4; // answers in flight of one connection
const mostWaiting = 20_000; // of all connections together
const mostSkipped = 50; // turns

export interface Connection {
  socket: Socket;
  answering: number;
  waiting: (() => void)[];
  isReady: boolean; // it is in the queue of connections
}

export class PipelinedRequests {
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #ready: Connection[] = [];
  #waiting = 0;
  #skipped = 0;
  #hasAccepted = false; // a connection in this turn

  accepted(): void {
    this.#hasAccepted = true;
  }

  // Returns the connection. Call `answered` with it when the answer has been sent.
  handle(socket: Socket, handle: () => void): Connection {
    const connection = this.#connections.get(socket) ?? this.#open(socket);
    if (connection.answering === 0 && connection.waiting.length === 0) {
      connection.answering++;
      handle();
      return connection;
    }
    // Pipelines of ordinary clients are short.
    if (this.#waiting >= mostWaiting && connection.waiting.length >= mostAtOnce) {
      socket.destroy();
      return connection;
    }
    if (connection.waiting.length === 0) socket.on('data', ignore); // a parser without listeners can't be paused
    connection.waiting.push(handle);
    this.#waiting++;
    socket.pause();
    this.#makeReady(connection);
    return connection;
  }

  #open(socket: Socket): Connection {
    const connection = { socket, answering: 0, waiting: [], isReady: false };
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#forget(connection));
    return connection;
  }

  #forget(connection: Connection): void {
    this.#waiting -= connection.waiting.length;
    connection.waiting = [];
  }

  answered(connection: Connection): void {
    connection.answering--;
    if (connection.waiting.length === 0) return;
    connection.socket.pause(); // the end of an answer makes Node read on
    this.#makeReady(connection);
  }

  #makeReady(connection: Connection): void {
    if (connection.isReady || connection.waiting.length === 0 || connection.answering >= mostAtOnce) return;
    connection.isReady = true;
    if (this.#ready.push(connection) === 1) setImmediate(() => this.#next());
  }

  #next(): void {
    if (this.#hasAccepted && this.#skipped < mostSkipped) {
      this.#hasAccepted = false;
      this.#skipped++;
      setImmediate(() => this.#next());
      return;
    }
    this.#skipped = 0;
    const connection = this.#ready.shift();
    if (this.#ready.length > 0) setImmediate(() => this.#next());
    const handle = connection?.waiting.shift();
    if (!connection || !handle) return;
    connection.isReady = false;
    connection.answering++;
    this.#waiting--;
    if (connection.waiting.length === 0) connection.socket.off('data', ignore).resume();
    this.#makeReady(connection);
    handle();
  }
}

const ignore = (): void => undefined;
