// Requests a whole zone from another name server (RFC 5936), and keeps its data in wire form.

import { connect, type Socket } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';
import { forbiddenHost } from '../../base/outbound/outbound-address.ts';
import { TimeSlice } from '../../core/threads/time-slice.ts';
import { nameBytes, nameKey } from '../records/domain-name.ts';
import { NameCount } from '../records/name-count.ts';
import { uint16 } from '../records/rdata.ts';
import { typeNumbers } from '../records/types.ts';
import type { ZoneRecord } from '../server/zone-data.ts';
import { limits, maxContentBytes, maxNames } from '../zones/limits.ts';
import type { Primary } from '../zones/secondary-zone.ts';
import { recordsIn } from './read-records.ts';

export interface Transfer {
  serial: number;
  records: ZoneRecord[];
  names: number; // below the zone, with the empty ones above records
}

const silenceMs = 30_000;
const limitMs = 600_000; // for the whole transfer
const maxRecords = limits.records;
const maxBytes = maxContentBytes; // in wire form
const maxWaiting = 50; // received but unread messages; beyond that, the server is slowed down
const axfr = typeNumbers.AXFR as number;
const soaType = typeNumbers.SOA as number;

export async function transferZone(primary: Primary, zoneName: string, signal: AbortSignal): Promise<Transfer> {
  const forbidden = forbiddenHost(primary.ip);
  if (forbidden !== undefined) throw failure(`${primary.ip} is not asked: ${forbidden}`);
  const records: ZoneRecord[] = [];
  const names = new NameCount();
  const slice = new TimeSlice();
  let serial: number | undefined;
  for await (const message of messagesOf(primary, zoneName, signal)) {
    for (const record of readable(message)) {
      await slice.pause();
      if (serial === undefined && record.type !== soaType) throw failure('The transfer does not begin with a SOA');
      if (record.type === soaType && serial !== undefined) return { serial, records, names: names.size };
      if (record.type === soaType) serial = record.data.readUInt32BE(record.data.length - 20);
      records.push({ ...record, id: String(records.length) });
      names.add(record.name, nameKey(zoneName));
      if (records.length > maxRecords) throw failure(`The zone has more than ${maxRecords} records`);
      if (names.size > maxNames)
        throw failure(`The zone has more than ${maxNames} names, counting the empty ones above its records`);
    }
  }
  throw failure('The transfer ended before the zone did');
}

function* readable(message: Buffer): Generator<Omit<ZoneRecord, 'id'>> {
  try {
    yield* recordsIn(message);
  } catch (error) {
    if (error instanceof RangeError) throw failure(`A message can't be read: ${error.message}`);
    throw error;
  }
}

const failure = (message: string): Fault => new Fault('unavailable', message);

// The messages of a query, as long as the server sends them. Some are received while others are read, because name
// servers close the connection of a slow client.
async function* messagesOf({ ip, port }: Primary, zoneName: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const id = Number.parseInt(randomHex(2), 16);
  const question = Buffer.concat([nameBytes(zoneName), uint16(axfr), uint16(1)]);
  const query = Buffer.concat([uint16(id), uint16(0), uint16(1), Buffer.alloc(6), question]);
  const socket = connect({ host: ip, port, timeout: silenceMs, signal });
  const received = receive(socket);
  const deadline = setTimeout(() => socket.destroy(new Error('The transfer takes too long')), limitMs);
  try {
    socket.write(Buffer.concat([uint16(query.length), query]));
    for (;;) {
      const message = await received.next();
      if (!message) return;
      if (message.length < 12 || message.readUInt16BE(0) !== id)
        throw failure('The answer of the name server does not fit the question');
      const code = message.readUInt16BE(2) & 0xf;
      if (code !== 0) throw failure(`The name server refuses the transfer (${code})`);
      yield message;
      await new Promise(setImmediate);
    }
  } finally {
    clearTimeout(deadline);
    socket.destroy();
  }
}

// The messages of a connection in their order; undefined: the connection has ended. Throws if it failed.
function receive(socket: Socket): { next(): Promise<Buffer | undefined> } {
  const messages: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let isClosed = false;
  let broken: Error | undefined;
  let wake = (): void => {};
  socket.once('timeout', () => socket.destroy(new Error('The name server does not answer')));
  socket.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes) socket.destroy(new Error(`The zone has more than ${maxBytes} bytes`));
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (; rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0); rest = rest.subarray(2 + rest.readUInt16BE(0)))
      messages.push(rest.subarray(2, 2 + rest.readUInt16BE(0)));
    if (messages.length > maxWaiting) socket.pause();
    wake();
  });
  socket.once('error', (error) => {
    broken = error;
  });
  socket.once('close', () => {
    isClosed = true;
    wake();
  });
  return {
    async next() {
      while (messages.length === 0 && !isClosed)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const message = messages.shift();
      if (messages.length === 0 && socket.isPaused()) socket.resume();
      if (!message && broken) throw failure(broken.message);
      return message;
    },
  };
}
