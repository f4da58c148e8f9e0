// DNS queries for tests, with a DNS library, over UDP and TCP.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import dnsPacket from 'dns-packet';
import type { Region } from '../harness/region.ts';

export const portOf = (region: Region): number => Number(new URL(region.ready.services.dnsserver ?? '').port);

const limitMs = 10_000;

// Sends the bytes, repeats them if they or the answer get lost, and resolves with the answer.
export async function exchange(port: number, message: Uint8Array): Promise<Buffer> {
  const socket = createSocket('udp4');
  const again = setInterval(() => socket.send(message, port, '127.0.0.1'), 1000);
  try {
    socket.send(message, port, '127.0.0.1');
    const [answer] = (await once(socket, 'message', { signal: AbortSignal.timeout(limitMs) })) as [Buffer];
    return answer;
  } finally {
    clearInterval(again);
    socket.close();
  }
}

export interface QueryOptions {
  edns?: number; // the size of datagrams that it takes
  dnssec?: boolean;
}

export const queryOf = (name: string, type: string, { edns, dnssec = false }: QueryOptions = {}): Buffer =>
  dnsPacket.encode({
    type: 'query',
    id: 4711,
    questions: [{ name, type: type as dnsPacket.RecordType }],
    additionals: edns
      ? [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: edns,
            flags: dnssec ? dnsPacket.DNSSEC_OK : 0,
            extendedRcode: 0,
            ednsVersion: 0,
            flag_do: dnssec,
            options: [],
          },
        ]
      : [],
  });

export async function ask(port: number, name: string, type: string, options?: QueryOptions) {
  const bytes = await exchange(port, queryOf(name, type, options));
  const answer = dnsPacket.decode(bytes) as dnsPacket.DecodedPacket & { rcode: string };
  assert.equal(answer.id, 4711);
  return { ...answer, bytes };
}

// The answers in a short form.
export const dataOf = ({ answers = [] }: dnsPacket.DecodedPacket): unknown[] =>
  answers.map((one) => ('data' in one ? one.data : undefined));

// All messages of one TCP query, until `isDone`.
export async function askByTcp(
  port: number,
  message: Buffer,
  isDone: (messages: Buffer[]) => boolean,
): Promise<Buffer[]> {
  const socket = connect(port, '127.0.0.1');
  const size = Buffer.alloc(2);
  size.writeUInt16BE(message.length);
  socket.write(Buffer.concat([size, message]));
  const messages: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of socket as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      messages.push(rest.subarray(2, 2 + rest.readUInt16BE(0)));
      rest = rest.subarray(2 + rest.readUInt16BE(0));
    }
    if (isDone(messages)) break;
  }
  socket.destroy();
  return messages;
}
