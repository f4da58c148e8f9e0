// One client's connection. Requests are answered in the order of their arrival. Produce requests overlap, because their
// order is fixed when they are appended; any other request waits for the requests before it. Reading pauses while too
// much work is pending here or on all connections together, while the client does not read its answers, and while a
// quota throttles it.
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { unsupportedApiVersions } from '../handlers/cluster.ts';
import type { Call, Client, Cluster } from '../handlers/handler.ts';
import { routes } from '../handlers/routes.ts';
import { apis } from '../wire/apis.ts';
import { ProtocolError } from '../wire/errors.ts';
import { isSupported, type Request, readHeader, readRequest, writeResponse } from '../wire/frame.ts';
import { MalformedError } from '../wire/reader.ts';
import { FrameReader } from './frame-reader.ts';
import type { MemoryBudget, MemoryShare } from './memory-budget.ts';
import { ResponseMemory } from './response-memory.ts';

export interface ConnectionLimits {
  requestBytes: number;
  inFlightRequests: number;
  inFlightBytes: number; // limit for unanswered requests of one connection
  unsentBytes: number; // limit for answers that the client has not read
  handshakeMs: number;
}

// Shared by all connections of a thread.
export interface BrokerMemory {
  requests: MemoryBudget;
  answers: MemoryBudget;
}

export interface Traffic {
  bytesIn: number;
  bytesOut: number;
  requests: number;
}

// The position of an answer in the order.
interface Slot {
  size: number; // of the request
  isDone: boolean;
  answer: Buffer[];
  memory: ResponseMemory;
  throttleMs: number;
}

const smallRequest = 16 * 1024; // does not wait for memory, so heartbeats continue while large requests wait
const produceKey = 0;
const apiVersionsKey = 18;

export class Connection {
  readonly #socket: TLSSocket;
  readonly #cluster: Cluster;
  readonly #nodeId: number;
  readonly #limits: ConnectionLimits;
  readonly #traffic: Traffic;
  readonly #memory: BrokerMemory;
  readonly #requests: MemoryShare;
  readonly #answers: MemoryShare;
  readonly #unsent = new Set<ResponseMemory>(); // memory of answers that the client has not read
  readonly #frames: FrameReader;
  readonly #client: Client;
  readonly #goneListeners = new Set<() => void>();
  readonly #user: string;
  readonly #slots: Slot[] = [];
  #waiting: { request: Request; size: number }[] = [];
  #running = 0;
  #isExclusive = false; // a request other than Produce is running
  #bytes = 0;
  #granted = 0; // memory for the request that is being received
  #leaveLine: (() => void) | undefined; // stops waiting for memory
  #muteTimer: NodeJS.Timeout | undefined;

  constructor(
    socket: TLSSocket,
    context: { cluster: Cluster; nodeId: number; limits: ConnectionLimits; traffic: Traffic; memory: BrokerMemory },
  ) {
    this.#socket = socket;
    this.#cluster = context.cluster;
    this.#nodeId = context.nodeId;
    this.#limits = context.limits;
    this.#traffic = context.traffic;
    this.#memory = context.memory;
    this.#requests = this.#newShare('it did not finish its request while others waited for memory');
    this.#answers = this.#newShare('it did not read its answers while others waited for memory');
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
    socket.on('close', () => this.#leave());
  }

  #newShare(why: string): MemoryShare {
    return { bytes: 0, awaitedSinceMs: undefined, close: () => this.#close(why) };
  }

  #close(why: string): void {
    if (this.#socket.destroyed) return;
    this.#cluster.log.warn('broker: connection closed', { why, client: this.#socket.remoteAddress });
    this.#socket.destroy();
  }

  // Running requests keep their memory until they end.
  #leave(): void {
    this.#client.isGone = true;
    this.#waiting = [];
    clearTimeout(this.#muteTimer);
    this.#leaveLine?.();
    const running = this.#slots.reduce((sum, { size }) => sum + size, 0);
    this.#memory.requests.release(this.#requests, this.#requests.bytes - running);
    for (const memory of this.#unsent) memory.settle(0);
    for (const listener of [...this.#goneListeners]) listener();
  }

  #read(chunk: Buffer): void {
    this.#traffic.bytesIn += chunk.length;
    this.#frames.push(chunk);
    try {
      for (let frame = this.#frames.next(); frame; frame = this.#frames.next()) this.#accept(frame);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      this.#close(error.message);
      return;
    }
    this.#proceed();
  }

  #accept(frame: Buffer): void {
    const size = frame.length;
    const { requests } = this.#memory;
    if (this.#granted === 0) requests.hold(this.#requests, size);
    this.#granted = 0;
    requests.awaitClient(this.#requests, false);
    const header = readHeader(frame);
    if (header.apiKey === apiVersionsKey && !isSupported(apis.get(apiVersionsKey), header.version)) {
      const api = routes.get(apiVersionsKey)?.api as Request['api'];
      requests.release(this.#requests, size);
      this.#send(writeResponse(api, 0, header.correlationId, unsupportedApiVersions), this.#newMemory());
      return;
    }
    this.#bytes += size;
    this.#waiting.push({ request: readRequest(frame), size });
  }

  // Starts the requests that may run now, and continues reading if there is room.
  #proceed(): void {
    if (this.#client.isGone) return;
    const { inFlightRequests, inFlightBytes, unsentBytes } = this.#limits;
    // When the memory for answers is used up, a client has to read one answer before it gets the next.
    const mostUnsent = this.#memory.answers.leftBytes > 0 ? unsentBytes : 0;
    while (this.#waiting.length > 0 && this.#socket.writableLength <= mostUnsent) {
      const { request, size } = this.#waiting[0] as { request: Request; size: number };
      const isProduce = request.apiKey === produceKey;
      if (this.#isExclusive || (!isProduce && this.#running > 0)) break;
      this.#waiting.shift();
      this.#isExclusive = !isProduce;
      void this.#run(request, size);
    }
    const isFull = this.#running + this.#waiting.length >= inFlightRequests || this.#bytes >= inFlightBytes;
    const isHeldBack = isFull || this.#muteTimer !== undefined;
    const isBehind = this.#socket.writableLength > mostUnsent;
    const hasMemory = this.#grant();
    this.#memory.requests.awaitClient(this.#requests, isBehind || (this.#granted > 0 && !isHeldBack));
    if (isHeldBack || isBehind || !hasMemory) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  // Reserves memory for the whole request as soon as its length is known, so that every request that was begun can be
  // completed. False: the rest of it is not read yet.
  #grant(): boolean {
    const { length = 0 } = this.#frames;
    const { requests } = this.#memory;
    if (length === 0 || this.#granted > 0) return true;
    if (length <= smallRequest) requests.hold(this.#requests, length);
    else if (!requests.tryHold(this.#requests, length)) {
      this.#leaveLine ??= requests.onReleased(() => this.#proceed());
      return false;
    }
    this.#granted = length;
    this.#leaveLine?.();
    this.#leaveLine = undefined;
    return true;
  }

  #newMemory(): ResponseMemory {
    return new ResponseMemory(this.#memory.answers, this.#answers);
  }

  async #run(request: Request, size: number): Promise<void> {
    const slot: Slot = { size, isDone: false, answer: [], memory: this.#newMemory(), throttleMs: 0 };
    this.#slots.push(slot);
    this.#running++;
    try {
      // Decoding a large request takes long, and an immediate would run in the same turn of the event loop. Produce
      // requests start at once, because their order is fixed then.
      if (size > smallRequest && request.apiKey !== produceKey) await pause(0);
      const body = await routes.get(request.apiKey)?.handle(request.body as never, this.#call(request, slot.memory));
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

  #call({ version, clientId }: Request, memory: ResponseMemory): Call {
    return {
      cluster: this.#cluster,
      nodeId: this.#nodeId,
      version,
      clientId,
      clientHost: `/${this.#socket.remoteAddress ?? ''}`,
      user: this.#user,
      client: this.#client,
      memory,
    };
  }

  #answer(): void {
    while (this.#slots[0]?.isDone) {
      const { answer, memory, size, throttleMs } = this.#slots.shift() as Slot;
      this.#bytes -= size;
      this.#memory.requests.release(this.#requests, size);
      if (answer.length > 0 && !this.#client.isGone) this.#send(answer, memory);
      else memory.settle(0);
      if (throttleMs > 0) this.#mute(throttleMs);
    }
    this.#proceed();
  }

  #send(chunks: Buffer[], memory: ResponseMemory): void {
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    this.#traffic.bytesOut += bytes;
    memory.settle(bytes);
    this.#unsent.add(memory);
    this.#memory.answers.awaitClient(this.#answers, true);
    const last = chunks.length - 1;
    this.#socket.cork();
    for (const [at, chunk] of chunks.entries()) {
      if (at < last) this.#socket.write(chunk);
      else this.#socket.write(chunk, () => this.#sent(memory));
    }
    this.#socket.uncork();
  }

  // The kernel has accepted the answer, so the client is not far behind.
  #sent(memory: ResponseMemory): void {
    memory.settle(0);
    this.#unsent.delete(memory);
    this.#memory.answers.awaitClient(this.#answers, false);
    this.#memory.answers.awaitClient(this.#answers, this.#unsent.size > 0);
    this.#proceed();
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
