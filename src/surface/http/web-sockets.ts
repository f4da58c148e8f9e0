// WebSockets of the region, by the `ws` library, which is loaded with the first of them. Clients that no
// longer answer pings are dropped. All get a close frame when the region stops.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket, WebSocketServer } from 'ws';
import { Fault } from '../../base/fault.ts';

const pingMs = 30_000;
const mostMessageBytes = 1024 * 1024;
const goingAway = 1001;

export class WebSockets {
  readonly #open = new Map<WebSocket, { isAlive: boolean }>();
  #server: Promise<WebSocketServer> | undefined;
  #pinging: NodeJS.Timeout | undefined;

  get size(): number {
    return this.#open.size;
  }

  async accept(req: IncomingMessage, socket: Socket, head: Buffer): Promise<WebSocket> {
    const { 'sec-websocket-key': key = '', 'sec-websocket-version': version } = req.headers;
    if (version !== '13' || !/^[+/0-9A-Za-z]{22}==$/.test(key))
      throw new Fault('refused', 'This is not a well-formed WebSocket handshake of version 13.');
    this.#server ??= createServer();
    const server = await this.#server;
    if (socket.destroyed) throw new Error('the client has left');
    return new Promise((resolve) => {
      server.handleUpgrade(req, socket, head, (webSocket) => {
        this.#add(webSocket);
        resolve(webSocket);
      });
    });
  }

  close(): void {
    clearInterval(this.#pinging);
    for (const webSocket of this.#open.keys()) webSocket.close(goingAway, 'The region is stopping.');
  }

  #add(webSocket: WebSocket): void {
    const state = { isAlive: true };
    this.#open.set(webSocket, state);
    webSocket.on('pong', () => {
      state.isAlive = true;
    });
    webSocket.on('error', () => webSocket.terminate());
    webSocket.on('close', () => this.#open.delete(webSocket));
    this.#pinging ??= setInterval(() => this.#ping(), pingMs).unref();
  }

  #ping(): void {
    for (const [webSocket, state] of this.#open) {
      if (!state.isAlive) webSocket.terminate();
      state.isAlive = false;
      webSocket.ping();
    }
  }
}

async function createServer(): Promise<WebSocketServer> {
  const { WebSocketServer: Server } = await import('ws');
  return new Server({ noServer: true, clientTracking: false, maxPayload: mostMessageBytes, perMessageDeflate: false });
}
