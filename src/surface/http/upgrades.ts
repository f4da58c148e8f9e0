// Requests that turn their connection into a WebSocket. They go through the same stages as calls up to `authorize`; a
// refusal is an HTTP answer with the service's own payload. An Upgrade header that no route supports is ignored.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { withTrace } from '../../base/trace/trace-context.ts';
import { Exchange } from './exchange.ts';
import { forwardUpgrade } from './forward.ts';
import { account, pass, traceOf } from './pipeline.ts';
import { writeReply } from './refusals.ts';
import { contentOf, headersOf } from './render.ts';
import * as stage from './stages.ts';
import { WebSockets } from './web-sockets.ts';

export interface Upgrades {
  readonly size: number; // how many WebSockets are open
  isUpgrade(req: IncomingMessage): boolean;
  upgrade(req: IncomingMessage, socket: Socket, head: Buffer, secure: boolean): void;
  close(): void;
}

const internalError = 1011; // of the WebSocket protocol
const policyViolation = 1008;
const recheckMs = 5000;
// A masked close frame with 1001, as from the client: the other node answers the client with the same frame.
const closeFrame = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9]);

const stages: readonly stage.Stage[] = [
  stage.requestId,
  stage.address,
  stage.addressThrottle,
  stage.route,
  stage.authenticate,
  stage.contractThrottle,
  stage.authorize,
];

// The stages whose result may change while a connection lasts.
const rights: readonly stage.Stage[] = [
  stage.requestId,
  stage.address,
  stage.route,
  stage.authenticate,
  stage.authorize,
];

export function createUpgrades(surface: stage.Surface): Upgrades {
  const webSockets = new WebSockets();
  const forwarded = new Set<Socket>(); // the sockets of other nodes, which watch over the rights of the clients

  async function live(x: Exchange, socket: Socket, head: Buffer): Promise<void> {
    let webSocket: WebSocket | undefined;
    let other: Socket | undefined;
    const keeper = async (): Promise<void> => {
      const home = x.route?.keptBy;
      const found = home && (await forwardUpgrade(x, socket, head, home, surface));
      if (found && 'status' in found) x.reply = found;
      else other = found;
    };
    const accept = async (): Promise<void> => {
      if (!other) webSocket = await webSockets.accept(x.req, socket, head);
    };
    await pass(x, surface, [...stages, keeper, accept]);
    if (!webSocket && !other) refuse(x, socket);
    account(x, surface, webSocket || other ? 101 : (x.reply?.status ?? 499));
    if (other) follow(other);
    if (!webSocket) return;
    stage.noteRead(x, surface);
    const watch = setInterval(() => void recheck(x.req, webSocket as WebSocket), recheckMs).unref();
    webSocket.once('close', () => clearInterval(watch));
    try {
      await x.route?.upgrade?.(x, webSocket);
    } catch (error) {
      if (!x.isGone) surface.log.error('bug', { id: x.id, operation: x.route?.operation, error });
      webSocket.close(internalError, `An internal error happened. Its id is ${x.id}.`);
    }
  }

  function follow(other: Socket): void {
    forwarded.add(other);
    other.once('close', () => forwarded.delete(other));
  }

  // Tokens end, keys are changed and pipelines removed while a connection lasts: then it ends too.
  async function recheck(req: IncomingMessage, webSocket: WebSocket): Promise<void> {
    const again = new Exchange(req, undefined, false);
    await pass(again, surface, rights);
    const status = again.reply?.status ?? 200;
    if (status >= 400 && status < 429)
      webSocket.close(policyViolation, 'The credentials of this connection are no longer valid.');
  }

  return {
    get size() {
      return webSockets.size + forwarded.size;
    },
    isUpgrade(req) {
      if (req.method !== 'GET' || req.headers.upgrade?.toLowerCase() !== 'websocket') return false;
      const x = new Exchange(req, undefined, false);
      try {
        stage.address(x, surface);
        stage.route(x, surface);
      } catch {
        return false; // the ordinary way tells why
      }
      return x.route?.upgrade !== undefined;
    },
    upgrade(req, socket, head, secure) {
      socket.on('error', () => socket.destroy()); // a client may leave at any time
      const x = new Exchange(req, undefined, secure);
      withTrace(traceOf(req, surface), () => live(x, socket, head)).catch((error: unknown) => {
        surface.log.error('bug', { id: x.id, operation: x.route?.operation, error });
        socket.destroy();
      });
    },
    close() {
      webSockets.close();
      for (const other of forwarded) other.write(closeFrame);
      forwarded.clear();
    },
  };
}

function refuse(x: Exchange, socket: Socket): void {
  const { reply } = x;
  if (!reply || socket.destroyed) return void socket.destroy();
  const content = contentOf(x, reply);
  writeReply(socket, reply.status, headersOf(x, reply, Buffer.byteLength(content), true), content);
}
