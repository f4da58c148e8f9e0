// `lab traffic`: sends a packet through the network of a contract and shows its path, hop by hop.
import { isIP } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { type Command, dataOption, type Input, jsonOption } from '../../command/command.ts';
import { contractOption, wholeNumber } from '../../command/option-values.ts';
import { print, printJson, table } from '../../command/terminal.ts';
import { askRegion } from '../admin/operations.ts';

export const traffic: Command = {
  name: 'lab traffic',
  about:
    'Sends a packet through the network of a contract and shows its path hop by hop. ' +
    'Exits with 1 if it is rejected.',
  options: [
    { name: 'from', takes: 'NIC|ADDRESS', help: 'the ID of a NIC, or an external IP address' },
    { name: 'to', takes: 'ADDRESS[:PORT]', help: 'the destination; put an IPv6 address with a port in brackets' },
    { name: 'protocol', takes: 'NAME', help: 'TCP, UDP, ICMP … (default: TCP)' },
    { name: 'url', takes: 'URL', help: 'the HTTP request that application load balancers see' },
    { name: 'count', takes: 'N', help: 'number of packets, each evaluated separately (default: 1)' },
    { name: 'real', help: 'send a real packet, and predict its verdict (only with real machines)' },
    contractOption,
    jsonOption,
    dataOption,
  ],
  examples: [['cumulet lab traffic --from 203.0.113.7 --to 198.18.0.1:80', 'does the web server answer the internet?']],
  async run(input) {
    const contract = wholeNumber(input, 'contract');
    const request = { packet: packetOf(input), ...(contract !== undefined && { contract }) };
    const result = await askRegion(input.data, 'lab/traffic', request);
    if (input.has('json')) printJson(result);
    else show(result);
    if (isObject(result.real)) return result.real.result === 'ACCEPTED' ? 0 : 1;
    return result.verdict === 'REJECTED' || result.accepted === 0 ? 1 : 0;
  },
};

function packetOf(input: Input): Values {
  const from = input.need('from', 'the ID of a NIC, or an address');
  const [address, port] = targetOf(input.need('to', 'an address, with a port for TCP and UDP'));
  const count = wholeNumber(input, 'count');
  const url = input.get('url');
  return {
    from: isIP(from) === 0 ? { nicId: from } : { address: from },
    to: { address, ...(port !== undefined && { port }) },
    protocol: input.get('protocol') ?? 'TCP',
    ...(url !== undefined && { http: requestOf(url) }),
    ...(count !== undefined && { count }),
    ...(input.has('real') && { real: true }),
  };
}

const maxPort = 65_535;

function targetOf(text: string): [address: string, port?: number] {
  if (isIP(text) !== 0) return [text];
  const [, address = '', port = ''] = /^\[?(.*?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (isIP(address) === 0 || Number(port) > maxPort)
    throw new Fault('refused', `--to expects ADDRESS or ADDRESS:PORT, not '${text}'.`);
  return [address, Number(port)];
}

function requestOf(text: string): Values {
  const url = URL.parse(text);
  if (!url?.host) throw new Fault('refused', `--url expects a URL such as http://shop.example/cart, not '${text}'.`);
  return { host: url.hostname, path: url.pathname, query: url.search.slice(1) };
}

function show(result: Values): void {
  if (result.verdict !== undefined) {
    showOne(result);
    return;
  }
  print(`${result.accepted} of ${result.sent} were accepted.`);
  for (const outcome of result.outcomes as Values[]) {
    print(`\n${outcome.count} times:`);
    showOne(outcome);
  }
}

function showOne({ verdict, reason, arrivedAt, hops, real }: Values): void {
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
  if (isObject(real)) print(`The real packet: ${real.result}. ${real.detail}`);
}

const end = (address: Json | undefined, port: Json | undefined): string =>
  `${address ?? '?'}${port === null || port === undefined ? '' : ` port ${port}`}`;
