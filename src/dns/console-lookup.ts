// Asks the region's name server for the console, because browsers do not speak DNS. The question passes the server's
// own parser, so the answer is what a client on the network gets. Every client there may ask.
import { domainToASCII } from 'node:url';
import dnsPacket from 'dns-packet';
import { Fault } from '../base/fault.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';
import { typeNumbers } from './records/types.ts';

export interface LookupTools {
  ask(query: Buffer): Promise<Buffer | undefined>;
  server(): string; // where clients on the network ask: 127.0.0.1:7053
}

const types = Object.keys(typeNumbers).filter((type) => type !== 'AXFR' && type !== 'ALIAS');

export const lookupRoute = (tools: LookupTools): Route => ({
  method: 'GET',
  path: '/dns-lookup',
  operation: 'dnslookup_get',
  summary: 'Ask the name server of the region',
  unaudited: true,
  call: (x) => lookUp(tools, x),
});

async function lookUp({ ask, server }: LookupTools, x: Exchange): Promise<Reply> {
  const { name, type, dnssec } = questionIn(x);
  const startedAt = performance.now();
  const bytes = await ask(encoded(name, type, dnssec));
  const tookMs = performance.now() - startedAt;
  if (!bytes) throw new Fault('refused', '[(root).name] The name server does not accept this question');
  const answer = dnsPacket.decode(bytes) as dnsPacket.DecodedPacket & { rcode: string };
  const section = (all: dnsPacket.Answer[] = []) => all.filter((one) => one.type !== 'OPT').map(shown);
  const body = {
    server: server(),
    question: { name, type },
    status: answer.rcode,
    flags: flagsOf(answer),
    bytes: bytes.length,
    tookMs: Math.round(tookMs * 1000) / 1000,
    answers: section(answer.answers),
    authorities: section(answer.authorities),
    additionals: section(answer.additionals),
  };
  return json(200, body, ['Cache-Control', 'no-store']);
}

function questionIn({ search }: Exchange): { name: string; type: string; dnssec: boolean } {
  const given = (search.get('name') ?? '').trim().replace(/\.$/, '');
  const name = /[^\0-\x7f]/.test(given) ? domainToASCII(given) : given;
  const isName = name.length <= 253 && name.split('.').every((label) => label.length > 0 && label.length <= 63);
  if (given !== '' && !isName) throw new Fault('refused', '[(root).name] Expected a domain name');
  const type = (search.get('type') ?? 'A').toUpperCase();
  if (!types.includes(type)) throw new Fault('refused', `[(root).type] Expected one of ${types.join(', ')}`);
  return { name, type, dnssec: search.get('dnssec') === '1' };
}

// The type is written as a number, because the library does not know all names.
function encoded(name: string, type: string, dnssec: boolean): Buffer {
  const additionals = dnssec
    ? [
        {
          type: 'OPT' as const,
          name: '.',
          udpPayloadSize: 1232,
          extendedRcode: 0,
          ednsVersion: 0,
          flags: dnsPacket.DNSSEC_OK,
          flag_do: true,
          options: [],
        },
      ]
    : [];
  const questions = [{ type: 'A' as const, name }];
  const bytes = dnsPacket.encode({ type: 'query', id: 1, flags: dnsPacket.RECURSION_DESIRED, questions, additionals });
  const questionEnd = dnsPacket.encode({ type: 'query', questions }).length;
  bytes.writeUInt16BE(typeNumbers[type] as number, questionEnd - 4); // before the class
  return bytes;
}

function flagsOf(answer: dnsPacket.DecodedPacket): string[] {
  const flags = {
    qr: true,
    aa: answer.flag_aa,
    tc: answer.flag_tc,
    rd: answer.flag_rd,
    ra: answer.flag_ra,
    ad: answer.flag_ad,
  };
  return Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [name] : []));
}

const shown = (record: dnsPacket.Answer) => ({
  name: record.name,
  type: record.type,
  ttl: 'ttl' in record ? (record.ttl ?? 0) : 0,
  data: 'data' in record ? dataText(record.type, record.data) : '',
});

function dataText(type: string, data: unknown): string {
  if (typeof data === 'string') return data;
  if (type === 'TXT') return [data].flat().map(quoted).join(' ');
  if (Buffer.isBuffer(data)) return `\\# ${data.length} ${data.toString('hex')}`; // RFC 3597
  if (typeof data !== 'object' || data === null) return String(data);
  const values = data as Record<string, unknown>;
  const order = orders[type];
  if (order) return order.map((name) => valueText(values[name])).join(' ');
  return Object.entries(values)
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join(' ');
}

// In the form of zone files.
const orders: Readonly<Record<string, readonly string[]>> = {
  MX: ['preference', 'exchange'],
  SRV: ['priority', 'weight', 'port', 'target'],
  SOA: ['mname', 'rname', 'serial', 'refresh', 'retry', 'expire', 'minimum'],
  CAA: ['flags', 'tag', 'value'],
  DS: ['keyTag', 'algorithm', 'digestType', 'digest'],
};

const quoted = (text: unknown): string => JSON.stringify(Buffer.isBuffer(text) ? text.toString() : String(text));
const valueText = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString('hex') : Array.isArray(value) ? value.join(',') : String(value);
