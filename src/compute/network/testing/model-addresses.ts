// Addresses and networks as verdict-model.ts compares them, without any code of the engine.
import { BlockList } from 'node:net';

// The results of the two functions below are cached, because the words are few and the packets many.
const written = new Map<string, string>();

export const isIPv4 = (ip: string): boolean => !ip.includes(':');

export function same(ip: string): string {
  if (isIPv4(ip)) return ip;
  const known = written.get(ip) ?? new URL(`http://[${ip}]/`).hostname.slice(1, -1);
  written.set(ip, known);
  return known;
}

const networks = new Map<string, BlockList>();

export function inside(ip: string, network: string): boolean {
  let list = networks.get(network);
  if (!list) {
    list = new BlockList();
    const [address = '', length] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    list.addSubnet(address, length === undefined ? (family === 'ipv4' ? 32 : 128) : Number(length), family);
    networks.set(network, list);
  }
  // A list of IPv4 networks would also take the same addresses mapped into IPv6.
  return isIPv4(ip) === isIPv4(network.split('/')[0] as string) && list.check(ip, isIPv4(ip) ? 'ipv4' : 'ipv6');
}

const notPublic = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['224.0.0.0/4', '240.0.0.0/4', '::/128', '::1/128', '::ffff:0:0/96', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
];
const publicly = new Map<string, boolean>();

export function isPublic(ip: string): boolean {
  const known = publicly.get(ip) ?? !notPublic.some((network) => inside(ip, network));
  publicly.set(ip, known);
  return known;
}

export function hash(text: string): number {
  let value = 2166136261n;
  for (const byte of Buffer.from(text)) value = ((value ^ BigInt(byte)) * 16777619n) % 2n ** 32n;
  return Number(value);
}
