// One client's connection. Requests are answered in the order in which they came. Produce requests overlap, because
// their order is fixed when they are appended; any other request waits for those before it. Reading stops while too
// much is under way, while the client does not read its answers, and while a quota says so.
import type { TLSSocket } from 'node:tls';
import { unsupportedApiVersions } from '../handlers/cluster.ts';
import type { Call, Client, Cluster } from '../handlers/handler.ts';
import { routes } from '../handlers/routes.ts';
import { apis } from '../wire/apis.ts';
import { ProtocolError } from '../wire/errors.ts';
import { isSupported, type Request, readHeader, readRequest, writeResponse } from '../wire/frame.ts';
import { MalformedError } from '../wire/reader.ts';
import { FrameReader } from './frame-reader.ts';

export interface ConnectionLimits {
  requestBytes: number;
  inFlightRequests: number;
  inFlightBytes: number; // requests of one connection that are not answered
  unsentBytes: number; // answers that the client did not read
  handshakeMs: number;
}

export interface Traffic {
  bytesIn: number;
  bytesOut: number;
  requests: number;
}

// The place of an answer in the order.
interface Slot {
  size: number; // of the request
  isDone: boolean;
  answer: Buffer[];
  throttleMs: number;
}

const produceKey = 0;
const apiVersionsKey = 18;

export class Connection {
  readonly #socket: TLSSocket;
  readonly #cluster: Cluster;
  readonly #nodeId: number;
  readonly #limits: ConnectionLimits;
  readonly #traffic: Traffic;
  readonly #frames: FrameReader;
  readonly #client: Client;
  readonly #goneListeners = new Set<() => void>();
  readonly #user: string;
  readonly #slots: Slot[] = [];
  #waiting: { request: Request; size: number }[] = [];
  #running = 0;
  #isExclusive = false; // a request runs that is not a Produce
  #bytes = 0;
  #muteTimer: NodeJS.Timeout | undefined;

  constructor(
    socket: TLSSocket,
    context: { cluster: Cluster; nodeId: number; limits: ConnectionLimits; traffic: Traffic },
  ) {
    this.#socket = socket;
    this.#cluster = context.cluster;
    this.#nodeId = context.nodeId;
    this.#limits = context.limits;
    this.#traffic = context.traffic;
    this.#frames = new FrameReader(context.limits.requestBytes);
    this.#user = String(socket.getPeerCertificate().subject?.CN ?? '');
    this.#client = {
      isGone: false,
      onGone: (listener) => {
        this.#goneListeners.add(listener);
        return () => this.#goneListeners.delete(listener);
      },
    };
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('drain', () => this.#proceed());
    socket.on('close', () => this.#leave());
  }

  #leave(): void {
    this.#client.isGone = true;
    this.#waiting = [];
    clearTimeout(this.#muteTimer);
    for (const listener of [...this.#goneListeners]) listener();
  }

  #read(chunk: Buffer): void {
    this.#traffic.bytesIn += chunk.length;
    this.#frames.push(chunk);
    try {
      for (let frame = this.#frames.next(); frame; frame = this.#frames.next()) this.#accept(frame);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      this.#cluster.log.warn('broker: a connection is closed', {
        why: error.message,
        client: this.#socket.remoteAddress,
      });
      this.#socket.destroy();
      return;
    }
    this.#proceed();
  }

  #accept(frame: Buffer): void {
    const header = readHeader(frame);
    const size = frame.length;
    if (header.apiKey === apiVersionsKey && !isSupported(apis.get(apiVersionsKey), header.version)) {
      const api = routes.get(apiVersionsKey)?.api as Request['api'];
      this.#send(writeResponse(api, 0, header.correlationId, unsupportedApiVersions));
      return;
    }
    this.#bytes += size;
    this.#waiting.push({ request: readRequest(frame), size });
  }

  // Starts what may run now, and reads on if there is room.
  #proceed(): void {
    while (this.#waiting.length > 0 && this.#socket.writableLength <= this.#limits.unsentBytes) {
      const { request, size } = this.#waiting[0] as { request: Request; size: number };
      const isProduce = request.apiKey === produceKey;
      if (this.#isExclusive || (!isProduce && this.#running > 0)) break;
      this.#waiting.shift();
      this.#isExclusive = !isProduce;
      void this.#run(request, size);
    }
    const { inFlightRequests, inFlightBytes, unsentBytes } = this.#limits;
    const isFull = this.#running + this.#waiting.length >= inFlightRequests || this.#bytes >= inFlightBytes;
    if (isFull || this.#socket.writableLength > unsentBytes || this.#muteTimer) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  async #run(request: Request, size: number): Promise<void> {
    const slot: Slot = { size, isDone: false, answer: [], throttleMs: 0 };
    this.#slots.push(slot);
    this.#running++;
    try {
      const body = await routes.get(request.apiKey)?.handle(request.body as never, this.#call(request));
      if (body && !this.#client.isGone) {
        slot.throttleMs = 'throttleTimeMs' in body ? Number(body.throttleTimeMs) : 0;
        slot.answer = writeResponse(request.api, request.version, request.correlationId, body);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) this.#cluster.log.error(`broker: ${request.api.name} failed`, { error });
      this.#socket.destroy();
    }
    slot.isDone = true;
    this.#running--;
    this.#isExclusive = false;
    this.#traffic.requests++;
    this.#answer();
  }

  #call({ version, clientId }: Request): Call {
    return {
      cluster: this.#cluster,
      nodeId: this.#nodeId,
      version,
      clientId,
      clientHost: `/${this.#socket.remoteAddress ?? ''}`,
      user: this.#user,
      client: this.#client,
    };
  }

  #answer(): void {
    while (this.#slots[0]?.isDone) {
      const { answer, size, throttleMs } = this.#slots.shift() as Slot;
      this.#bytes -= size;
      if (answer.length > 0) this.#send(answer);
      if (throttleMs > 0) this.#mute(throttleMs);
    }
    if (!this.#client.isGone) this.#proceed();
  }

  #send(chunks: Buffer[]): void {
    this.#socket.cork();
    for (const chunk of chunks) {
      this.#traffic.bytesOut += chunk.length;
      this.#socket.write(chunk);
    }
    this.#socket.uncork();
  }

  #mute(ms: number): void {
    clearTimeout(this.#muteTimer);
    this.#muteTimer = setTimeout(() => {
      this.#muteTimer = undefined;
      this.#proceed();
    }, ms);
    this.#muteTimer.unref();
  }
}
