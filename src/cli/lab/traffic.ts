// `lab traffic`: sends a packet through the network of a contract and shows what becomes of it, hop by hop.
import { isIP } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, type Input, jsonOption } from '../command.ts';
import { contractOption, wholeNumber } from '../option-values.ts';
import { print, printJson, table } from '../terminal.ts';

export const traffic: Command = {
  name: 'lab traffic',
  about:
    'Sends a packet through the network that the resources of a contract describe, and shows hop by hop what becomes of ' +
    'it. Exits with 1 if it is rejected.',
  options: [
    { name: 'from', takes: 'NIC|ADDRESS', help: 'the id of a NIC, or the address of somebody outside' },
    { name: 'to', takes: 'ADDRESS[:PORT]', help: 'where it goes; an IPv6 address with a port is in brackets' },
    { name: 'protocol', takes: 'NAME', help: 'TCP, UDP, ICMP … (TCP)' },
    { name: 'url', takes: 'URL', help: 'the HTTP request that application load balancers see' },
    { name: 'count', takes: 'N', help: 'how often it is sent, each time judged anew (1)' },
    contractOption,
    jsonOption,
    dataOption,
  ],
  examples: [['cumulet lab traffic --from 203.0.113.7 --to 198.18.0.1:80', 'does the web server answer the internet?']],
  async run(input) {
    const contract = wholeNumber(input, 'contract');
    const asked = { packet: packetOf(input), ...(contract !== undefined && { contract }) };
    const told = await askRegion(input.data, 'lab/traffic', asked);
    if (input.has('json')) printJson(told);
    else show(told);
    return told.verdict === 'REJECTED' || told.accepted === 0 ? 1 : 0;
  },
};

function packetOf(input: Input): Values {
  const from = input.need('from', 'the id of a NIC, or an address');
  const [address, port] = targetOf(input.need('to', 'an address, with a port for TCP and UDP'));
  const count = wholeNumber(input, 'count');
  const url = input.get('url');
  return {
    from: isIP(from) === 0 ? { nicId: from } : { address: from },
    to: { address, ...(port !== undefined && { port }) },
    protocol: input.get('protocol') ?? 'TCP',
    ...(url !== undefined && { http: requestOf(url) }),
    ...(count !== undefined && { count }),
  };
}

function targetOf(text: string): [address: string, port?: number] {
  if (isIP(text) !== 0) return [text];
  const [, address = '', port = ''] = /^\[?(.*?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (isIP(address) === 0) throw new Fault('refused', `--to expects ADDRESS or ADDRESS:PORT, not '${text}'.`);
  return [address, Number(port)];
}

function requestOf(text: string): Values {
  const url = URL.parse(text);
  if (!url?.host) throw new Fault('refused', `--url expects a URL such as http://shop.example/cart, not '${text}'.`);
  return { host: url.hostname, path: url.pathname, query: url.search.slice(1) };
}

function show(told: Values): void {
  if (told.verdict !== undefined) {
    showOne(told);
    return;
  }
  print(`${told.accepted} of ${told.sent} were accepted.`);
  for (const outcome of told.outcomes as Values[]) {
    print(`\n${outcome.count} times:`);
    showOne(outcome);
  }
}

function showOne({ verdict, reason, arrivedAt, hops }: Values): void {
  const rows = (hops as Values[]).map((hop) => [
    [hop.type ?? 'foreign', hop.id].filter(Boolean).join(' '),
    String(hop.direction),
    `${end(hop.sourceIp, hop.sourcePort)} → ${end(hop.targetIp, hop.targetPort)}`,
    String(hop.action),
    String(hop.reason),
  ]);
  if (rows.length > 0) print(`${table(['AT', 'DIRECTION', 'PACKET', 'ACTION', 'WHY'], rows)}\n`);
  const where = isObject(arrivedAt) ? ` at ${arrivedAt.type ?? 'a machine'} ${end(arrivedAt.ip, arrivedAt.port)}` : '';
  print(`${verdict}${where}: ${reason}`);
}

const end = (address: Json | undefined, port: Json | undefined): string =>
  `${address ?? '?'}${port === null || port === undefined ? '' : ` port ${port}`}`;
