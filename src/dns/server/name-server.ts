// The name server: queries by UDP and TCP, transfers to allowed peers, and notifications of other name servers.
import { createSocket, type Socket as DatagramSocket, type RemoteInfo } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { counter, type Figures } from '../../core/figures.ts';
import { TimeSlice } from '../../core/threads/time-slice.ts';
import { nameKey } from '../records/domain-name.ts';
import { typeNumbers } from '../records/types.ts';
import {
  type Answer,
  opcodes,
  type Query,
  type ResponseCode,
  readQuery,
  responseCodes,
  writeAnswer,
} from './message.ts';
import { type Resolved, resolve } from './resolve.ts';
import type { ServedZones } from './served-zones.ts';
import { transferMessages } from './transfer.ts';

export const nameServerFigures = {
  queries: counter('Queries that were answered.'),
  refused: counter('Refused queries for names of other zones, and refused transfers.'),
  malformed: counter('Messages that are not valid queries.'),
  truncated: counter('Answers that did not fit into a datagram.'),
  transfers: counter('Zones that were sent to peers.'),
  notifications: counter('Notifications of other name servers.'),
};

export interface NameServerTools {
  zones: ServedZones;
  peers: ReadonlySet<string>; // addresses that may transfer zones
  log: Log;
  notified(zoneName: string, from: string): void;
}

const idleMs = 10_000;
const logPauseMs = 10_000;
const maxWaiting = 1000; // datagrams whose answers are being signed
const maxTries = 5; // tries to answer from a zone that changes in the meantime
const axfr = typeNumbers.AXFR as number;
const internet = 1;
const anyClass = 255;

export class NameServer {
  readonly #tools: NameServerTools;
  readonly #figures = { queries: 0, refused: 0, malformed: 0, truncated: 0, transfers: 0, notifications: 0 };
  readonly #sockets = new Set<Socket>();
  #waiting = 0; // datagrams that are answered later
  #nextLogMs = 0;

  constructor(tools: NameServerTools) {
    this.#tools = tools;
  }

  figures(): Figures<typeof nameServerFigures> {
    return this.#figures;
  }

  open(isIPv6: boolean): (Server | DatagramSocket)[] {
    const udp = createSocket({ type: isIPv6 ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 });
    // An uncaught error would end the region, and any client can send a datagram.
    udp.on('message', (bytes, from) => {
      try {
        this.#datagram(udp, bytes, from)?.catch((error: unknown) => this.#failed(error));
      } catch (error) {
        this.#failed(error);
      }
    });
    udp.on('error', (error) => this.#failed(error));
    const tcp = createServer({ allowHalfOpen: true }, (socket) => this.#connection(socket));
    return [tcp, udp];
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  // For callers in the same process, with the rules of TCP. Undefined: the bytes can't be answered.
  async ask(bytes: Buffer): Promise<Buffer | undefined> {
    const query = readQuery(bytes);
    return query && this.#written(query, await this.#answer(query, ''), false);
  }

  #datagram(socket: DatagramSocket, bytes: Buffer, from: RemoteInfo): Promise<void> | undefined {
    const query = from.port === 0 ? undefined : readQuery(bytes); // nothing can be sent to port 0
    if (!query) {
      this.#figures.malformed += 1;
      return undefined;
    }
    const answer = this.#answer(query, from.address);
    if (!(answer instanceof Promise)) {
      this.#reply(socket, query, answer, from);
      return undefined;
    }
    this.#waiting += 1;
    return answer
      .then((ready) => this.#reply(socket, query, ready, from))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  #reply(socket: DatagramSocket, query: Query, answer: Answer, { port, address }: RemoteInfo): void {
    const reply = this.#written(query, answer, true);
    if ((reply.readUInt16BE(2) & 0x0200) !== 0) this.#figures.truncated += 1;
    socket.send(reply, port, address);
  }

  #written(query: Query, answer: Answer, isDatagram: boolean): Buffer {
    try {
      return writeAnswer(query, answer, isDatagram);
    } catch (error) {
      this.#failed(error);
      return writeAnswer(query, empty(responseCodes.failure), isDatagram);
    }
  }

  // Logged rarely, because clients decide how often a query fails.
  #failed(error: unknown): void {
    const now = performance.now();
    if (now < this.#nextLogMs) return;
    this.#nextLogMs = now + logPauseMs;
    this.#tools.log.error('a DNS query failed', { error });
  }

  #connection(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setTimeout(idleMs);
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    this.#converse(socket).catch((error: unknown) => {
      if (!socket.destroyed) this.#failed(error);
      socket.destroy();
    });
  }

  // Queries are answered one after another, so a client that does not read its answers is not read either.
  async #converse(socket: Socket): Promise<void> {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    const slice = new TimeSlice();
    let rest: Buffer = Buffer.alloc(0);
    for await (const piece of socket as AsyncIterable<Buffer>) {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const message = rest.subarray(2, 2 + rest.readUInt16BE(0));
        rest = rest.subarray(2 + message.length);
        const query = readQuery(message);
        if (!query) {
          this.#figures.malformed += 1;
          socket.destroy();
          return;
        }
        socket.setTimeout(0); // the client is not idle while it waits for an answer
        await this.#serve(socket, query, address);
        socket.setTimeout(idleMs);
        await slice.pause();
      }
    }
    socket.end();
  }

  async #serve(socket: Socket, query: Query, address: string): Promise<void> {
    if (query.question?.type !== axfr)
      return void (await write(socket, this.#written(query, await this.#answer(query, address), false)));
    const zone = this.#tools.zones.named(nameKey(query.question.name));
    if (!this.#tools.peers.has(address) || !zone?.isEnabled || zone.kind === 'reverse') {
      this.#figures.refused += 1;
      await write(socket, writeAnswer(query, empty(responseCodes.refused), false));
      return;
    }
    this.#figures.transfers += 1;
    const { zones } = this.#tools;
    const around = { find: zones.find, owns: (name: string): boolean => zones.owns(zone, name) };
    for await (const message of transferMessages(query, zone, around)) if (!(await write(socket, message))) return;
  }

  #answer(query: Query, address: string): Answer | Promise<Answer> {
    const { question } = query;
    if (!question) return this.#count('malformed', responseCodes.format);
    if (query.edns && query.edns.version > 0) return empty(responseCodes.none); // the OPT record reports BADVERS
    if (query.opcode === opcodes.notify) {
      this.#figures.notifications += 1;
      this.#tools.notified(nameKey(question.name), address);
      return { ...empty(responseCodes.none), isAuthoritative: true };
    }
    if (query.opcode !== opcodes.query) return empty(responseCodes.notImplemented);
    if (question.class !== internet && question.class !== anyClass)
      return this.#count('refused', responseCodes.refused);
    if (question.type === axfr || question.type === 251) return this.#count('refused', responseCodes.refused);
    if (!this.#tools.zones.isReady) return empty(responseCodes.failure);
    const ask = (): Resolved =>
      resolve(this.#tools.zones.find, nameKey(question.name), question.type, query.edns?.wantsDnssec ?? false);
    let answer: Resolved;
    try {
      answer = ask();
    } catch (error) {
      this.#failed(error);
      return empty(responseCodes.failure);
    }
    this.#figures[answer.code === responseCodes.refused ? 'refused' : 'queries'] += 1;
    return answer.waits.length === 0 ? answer : this.#complete(answer, ask);
  }

  // Missing signatures and proofs are created in other threads.
  async #complete(first: Resolved, ask: () => Resolved): Promise<Answer> {
    let answer = first;
    try {
      for (let tries = 0; answer.waits.length > 0; tries++) {
        if (tries === maxTries || this.#waiting > maxWaiting) throw new Fault('throttled', 'Too many queries wait');
        await Promise.all(answer.waits);
        answer = ask();
      }
      return answer;
    } catch (error) {
      for (const wait of answer.waits) wait.catch(() => undefined);
      if (!(error instanceof Fault)) this.#failed(error);
      return empty(responseCodes.failure);
    }
  }

  #count(figure: 'malformed' | 'refused', code: ResponseCode): Answer {
    this.#figures[figure] += 1;
    return empty(code);
  }
}

const empty = (code: ResponseCode): Answer => ({
  code,
  isAuthoritative: false,
  answers: [],
  authorities: [],
  additionals: [],
});

// False: the client has left.
async function write(socket: Socket, message: Buffer): Promise<boolean> {
  if (socket.destroyed) return false;
  const size = Buffer.alloc(2);
  size.writeUInt16BE(message.length);
  if (socket.write(Buffer.concat([size, message]))) return true;
  await new Promise<void>((done) => {
    socket.setTimeout(idleMs); // that it reads what was sent
    socket.once('drain', done);
    socket.once('close', done);
  });
  socket.setTimeout(0);
  return !socket.destroyed;
}
