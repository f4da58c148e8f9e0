// Asks another name server for a whole zone (RFC 5936), and takes it as it is on the wire.

import { connect, type Socket } from 'node:net';
import dnsPacket from 'dns-packet';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';
import { forbiddenHost } from '../../base/outbound-address.ts';
import { nameBytes, nameKey } from '../records/domain-name.ts';
import { uint16 } from '../records/rdata.ts';
import { typeNumbers } from '../records/types.ts';
import type { ZoneRecord } from '../server/zone-data.ts';
import type { Primary } from '../zones/secondary-zone.ts';

export interface Transfer {
  serial: number;
  records: ZoneRecord[];
}

const silenceMs = 30_000;
const limitMs = 600_000; // of the whole
const mostRecords = 1_000_000;
const mostBytes = 500_000_000;
const axfr = typeNumbers.AXFR as number;
const soaType = typeNumbers.SOA as number;

export async function transferZone(primary: Primary, zoneName: string): Promise<Transfer> {
  const forbidden = forbiddenHost(primary.ip);
  if (forbidden !== undefined) throw failure(`${primary.ip} is not asked: ${forbidden}`);
  const records: ZoneRecord[] = [];
  let serial: number | undefined;
  for await (const message of messagesOf(primary, zoneName)) {
    for (const record of recordsIn(message)) {
      if (serial === undefined && record.type !== soaType) throw failure('The transfer does not begin with a SOA');
      if (record.type === soaType && serial !== undefined) return { serial, records };
      if (record.type === soaType) serial = record.data.readUInt32BE(record.data.length - 20);
      records.push({ ...record, id: String(records.length) });
      if (records.length > mostRecords) throw failure(`The zone has more than ${mostRecords} records`);
    }
  }
  throw failure('The transfer ended before the zone did');
}

const failure = (message: string): Fault => new Fault('unavailable', message);

// Messages of one query, as long as the server sends them. They are received while others are read: name servers hang
// up on who is slow to receive.
async function* messagesOf({ ip, port }: Primary, zoneName: string): AsyncGenerator<Buffer> {
  const id = Number.parseInt(randomHex(2), 16);
  const question = Buffer.concat([nameBytes(zoneName), uint16(axfr), uint16(1)]);
  const query = Buffer.concat([uint16(id), uint16(0), uint16(1), Buffer.alloc(6), question]);
  const socket = connect({ host: ip, port, timeout: silenceMs });
  const received = receive(socket);
  const deadline = setTimeout(() => socket.destroy(new Error('The transfer takes too long')), limitMs);
  try {
    socket.write(Buffer.concat([uint16(query.length), query]));
    for (;;) {
      const message = await received.next();
      if (!message) return;
      if (message.length < 12 || message.readUInt16BE(0) !== id)
        throw failure('The name server answers something else');
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

// The messages of a connection in their order; undefined: there are no more. Throws where it broke.
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
    if (bytes > mostBytes) socket.destroy(new Error(`The zone has more than ${mostBytes} bytes`));
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (; rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0); rest = rest.subarray(2 + rest.readUInt16BE(0)))
      messages.push(rest.subarray(2, 2 + rest.readUInt16BE(0)));
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
      if (!message && broken) throw failure(broken.message);
      return message;
    },
  };
}

// The answers of a message. Names in the data of some types are compressed: those are read by the DNS library.
function recordsIn(message: Buffer): Omit<ZoneRecord, 'id'>[] {
  let decoded: dnsPacket.DecodedPacket;
  try {
    decoded = dnsPacket.decode(message);
  } catch (error) {
    throw failure(`A message can't be read: ${(error as Error).message}`);
  }
  const records: Omit<ZoneRecord, 'id'>[] = [];
  for (const answer of decoded.answers ?? []) {
    if (answer.type === 'OPT') continue;
    const { name, ttl = 0 } = answer as { name: string; ttl?: number };
    const plain = dnsPacket.encode({ type: 'response', id: 0, answers: [answer] }); // without compression
    const head = 12 + nameBytes(name === '.' ? '' : name).length;
    records.push({
      name: nameKey(name),
      type: plain.readUInt16BE(head),
      ttl,
      data: Buffer.from(plain.subarray(head + 10)),
    });
  }
  return records;
}
