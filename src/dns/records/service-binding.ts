// The data of SVCB and HTTPS records (RFC 9460): `1 svc.example. alpn=h2,h3 port=8443 ipv4hint=192.0.2.1`.
import { isIPv4, isIPv6 } from 'node:net';
import { ipv4Bytes, ipv6Bytes } from './address.ts';
import { checkedName, nameBytes } from './domain-name.ts';
import { type Word, wrongContent } from './presentation.ts';

const keys: Readonly<Record<string, number>> = {
  mandatory: 0,
  alpn: 1,
  'no-default-alpn': 2,
  port: 3,
  ipv4hint: 4,
  ech: 5,
  ipv6hint: 6,
  dohpath: 7,
};

export function serviceBindingBytes(words: Word[]): Buffer {
  const [priority, target, ...params] = words;
  if (!priority || !target || !/^\d{1,5}$/.test(priority.text) || Number(priority.text) > 65_535)
    throw wrongContent('Expected PRIORITY TARGET [KEY=VALUE …]');
  const name = target.text === '.' ? '' : checkedName(target.text);
  if (name === undefined) throw wrongContent(`'${target.text.slice(0, 80)}' is not a domain name`);
  const values = new Map<number, Buffer>();
  for (const word of joined(params)) {
    const cut = word.indexOf('=');
    const key = keyOf(cut < 0 ? word : word.slice(0, cut));
    if (values.has(key)) throw wrongContent(`'${word.slice(0, 40)}' occurs twice`);
    values.set(key, parameterBytes(key, cut < 0 ? '' : word.slice(cut + 1)));
  }
  const head = Buffer.alloc(2);
  head.writeUInt16BE(Number(priority.text));
  const parts = [...values]
    .sort(([a], [b]) => a - b)
    .map(([key, value]) => Buffer.concat([pair(key, value.length), value]));
  return Buffer.concat([head, nameBytes(name), ...parts]);
}

// A quoted value is a separate word: alpn="h2,h3".
function joined(words: readonly Word[]): string[] {
  const list: string[] = [];
  for (const { text, isQuoted } of words) {
    if (isQuoted && list.at(-1)?.endsWith('=')) list.push(`${list.pop()}${text}`);
    else list.push(unquotedValue(text));
  }
  return list;
}

function unquotedValue(text: string): string {
  const cut = text.indexOf('="');
  const hasQuotes = cut >= 0 && text.length > cut + 2 && text.endsWith('"');
  return hasQuotes ? `${text.slice(0, cut + 1)}${text.slice(cut + 2, -1)}` : text;
}

function keyOf(text: string): number {
  const generic = /^key(\d{1,5})$/.exec(text)?.[1];
  const key = keys[text] ?? (generic === undefined ? undefined : Number(generic));
  if (key === undefined || key > 65_534) throw wrongContent(`'${text.slice(0, 40)}' is not a valid key`);
  return key;
}

function parameterBytes(key: number, text: string): Buffer {
  const list = text.split(',').filter(Boolean);
  if (key === keys['no-default-alpn']) return Buffer.alloc(0);
  if (text === '') throw wrongContent('A key has no value');
  if (key === keys.mandatory)
    return Buffer.concat(
      list
        .map(keyOf)
        .sort((a, b) => a - b)
        .map((one) => pair(one)),
    );
  if (key === keys.alpn)
    return Buffer.concat(list.map((id) => Buffer.concat([Buffer.from([id.length]), Buffer.from(id)])));
  if (key === keys.ipv4hint) return Buffer.concat(list.map((ip) => addressBytes(ip, isIPv4(ip), ipv4Bytes)));
  if (key === keys.ipv6hint) return Buffer.concat(list.map((ip) => addressBytes(ip, isIPv6(ip), ipv6Bytes)));
  if (key === keys.ech) return Buffer.from(text, 'base64');
  if (key !== keys.port) return Buffer.from(text);
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw wrongContent(`'${text.slice(0, 20)}' is not a port`);
  return pair(Number(text));
}

function addressBytes(ip: string, isFine: boolean, encode: (ip: string) => Buffer): Buffer {
  if (!isFine) throw wrongContent(`'${ip.slice(0, 50)}' is not an address`);
  return encode(ip);
}

const pair = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 2);
  for (const [at, number] of numbers.entries()) bytes.writeUInt16BE(number, at * 2);
  return bytes;
};
