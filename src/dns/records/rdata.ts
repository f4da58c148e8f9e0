// Encodes the content of a record in wire form, once when a zone is loaded. Names in contents are absolute,
// with or without a dot at their end.
import { isIPv4, isIPv6 } from 'node:net';
import { ipv4Bytes, ipv6Bytes } from './address.ts';
import { checkedName, nameBytes } from './domain-name.ts';
import { locationBytes } from './location.ts';
import { type Word, wordsOf, wrongContent } from './presentation.ts';
import { serviceBindingBytes } from './service-binding.ts';

type Encode = (words: Word[], priority: number) => Buffer;

export function rdataOf(type: string, content: string, priority: number): Buffer {
  const encode = encoders[type];
  const words = type === 'TXT' ? textWords(content) : wordsOf(content);
  if (words[0]?.text === '\\#') return genericBytes(words);
  if (!encode) throw wrongContent(`Records of the type ${type} have no content`);
  return encode(words, priority);
}

const encoders: Readonly<Record<string, Encode>> = {
  A: (words) => ipv4Bytes(addressOf(words, isIPv4, 'an IPv4 address')),
  AAAA: (words) => ipv6Bytes(addressOf(words, isIPv6, 'an IPv6 address')),
  CNAME: (words) => nameBytes(onlyName(words)),
  ALIAS: (words) => nameBytes(onlyName(words)),
  NS: (words) => nameBytes(onlyName(words)),
  PTR: (words) => nameBytes(onlyName(words)),
  MX: (words, priority) => Buffer.concat([uint16(priority), nameBytes(onlyName(words))]),
  SRV: (words, priority) => {
    const [weight, port, target] = take(words, 'WEIGHT PORT TARGET');
    return Buffer.concat([
      uint16(priority),
      uint16(numberOf(weight)),
      uint16(numberOf(port)),
      nameBytes(nameOf(target)),
    ]);
  },
  TXT: (words) => Buffer.concat(words.flatMap(({ bytes }) => pieces(bytes))),
  CAA: (words) => {
    const [flags, tag, value] = take(words, 'FLAGS TAG "VALUE"');
    if (!/^[a-z0-9]{1,15}$/i.test(tag.text)) throw wrongContent(`'${tag.text}' is not a valid tag`);
    const name = Buffer.from(tag.text);
    return Buffer.concat([Buffer.from([numberOf(flags, 255), name.length]), name, value.bytes]);
  },
  SSHFP: (words) => {
    const [algorithm, hash, fingerprint] = take(words, 'ALGORITHM HASH FINGERPRINT');
    return Buffer.concat([Buffer.from([numberOf(algorithm, 255), numberOf(hash, 255)]), hexOf([fingerprint])]);
  },
  TLSA: (words) => associationBytes(words),
  SMIMEA: (words) => associationBytes(words),
  DS: (words) => {
    const [tag, algorithm, digestType, ...digest] = take(words, 'KEYTAG ALGORITHM DIGESTTYPE DIGEST', true);
    const numbers = Buffer.from([numberOf(algorithm, 255), numberOf(digestType, 255)]);
    return Buffer.concat([uint16(numberOf(tag)), numbers, hexOf(digest)]);
  },
  DNSKEY: (words) => {
    const [flags, protocol, algorithm, ...key] = take(words, 'FLAGS PROTOCOL ALGORITHM KEY', true);
    const numbers = Buffer.from([numberOf(protocol, 255), numberOf(algorithm, 255)]);
    return Buffer.concat([uint16(numberOf(flags)), numbers, base64Of(key)]);
  },
  HTTPS: (words) => serviceBindingBytes(words),
  SVCB: (words) => serviceBindingBytes(words),
  OPENPGPKEY: (words) => base64Of(words),
  CERT: (words) => {
    const [type, tag, algorithm, ...certificate] = take(words, 'TYPE KEYTAG ALGORITHM CERTIFICATE', true);
    const kind = certificateTypes[type.text.toUpperCase()] ?? numberOf(type);
    return Buffer.concat([
      uint16(kind),
      uint16(numberOf(tag)),
      Buffer.from([numberOf(algorithm, 255)]),
      base64Of(certificate),
    ]);
  },
  URI: (words, priority) => {
    const [weight, target] = take(words, 'WEIGHT "TARGET"');
    if (target.bytes.length === 0) throw wrongContent('The target is empty');
    return Buffer.concat([uint16(priority), uint16(numberOf(weight)), target.bytes]);
  },
  RP: (words) => {
    const [mailbox, texts] = take(words, 'MAILBOX NAME');
    return Buffer.concat([nameBytes(nameOf(mailbox)), nameBytes(nameOf(texts))]);
  },
  LOC: (words) => locationBytes(words.map(({ text }) => text)),
};

const certificateTypes: Readonly<Record<string, number>> = {
  PKIX: 1,
  SPKI: 2,
  PGP: 3,
  IPKIX: 4,
  ISPKI: 5,
  IPGP: 6,
  ACPKIX: 7,
  IACPKIX: 8,
  URI: 253,
  OID: 254,
};

// Clients send texts with and without quotes. Without, spaces belong to the text.
function textWords(content: string): Word[] {
  const trimmed = content.trim();
  if (trimmed.startsWith('"') || trimmed.startsWith('\\#')) return wordsOf(trimmed);
  return [{ bytes: Buffer.from(content), text: content, isQuoted: true }];
}

// Texts on the wire have at most 255 bytes each.
function pieces(bytes: Buffer): Buffer[] {
  const list: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const piece = bytes.subarray(at, at + 255);
    list.push(Buffer.from([piece.length]), piece);
  }
  return list;
}

// At least one word each; with `more` the last one may be several.
function take(words: Word[], form: string, more = false): [Word, Word, Word, ...Word[]] {
  const wanted = form.split(' ').length;
  if (words.length < wanted || (words.length > wanted && !more)) throw wrongContent(`Expected ${form}`);
  return words as [Word, Word, Word, ...Word[]];
}

function addressOf(words: Word[], isAddress: (text: string) => boolean, what: string): string {
  const [word] = words;
  if (words.length !== 1 || !word || !isAddress(word.text)) throw wrongContent(`Expected ${what}`);
  return word.text;
}

function onlyName(words: Word[]): string {
  if (words.length !== 1) throw wrongContent('Expected one domain name');
  return nameOf(words[0] as Word);
}

function nameOf({ text }: Word): string {
  if (text === '.') return '';
  const name = checkedName(text);
  if (name === undefined || name === '') throw wrongContent(`'${text.slice(0, 80)}' is not a domain name`);
  return name;
}

function associationBytes(words: Word[]): Buffer {
  const [usage, selector, matching, ...data] = take(words, 'USAGE SELECTOR MATCHING DATA', true);
  return Buffer.concat([Buffer.from([usage, selector, matching].map((word) => numberOf(word, 255))), hexOf(data)]);
}

function numberOf({ text }: Word, most = 65_535): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > most)
    throw wrongContent(`Expected a number up to ${most}, got '${text.slice(0, 20)}'`);
  return Number(text);
}

function hexOf(words: Word[]): Buffer {
  const text = words.map((word) => word.text).join('');
  if (!/^([0-9a-f]{2})+$/i.test(text)) throw wrongContent('Expected hexadecimal digits, two a byte');
  return Buffer.from(text, 'hex');
}

function base64Of(words: Word[]): Buffer {
  const text = words.map((word) => word.text).join('');
  if (!/^[a-z0-9+/]+={0,2}$/i.test(text) || text.length % 4 !== 0) throw wrongContent('Expected base64');
  return Buffer.from(text, 'base64');
}

// RFC 3597: \# LENGTH HEX
function genericBytes(words: Word[]): Buffer {
  const [, length, ...data] = words;
  const bytes = data.length === 0 ? Buffer.alloc(0) : hexOf(data);
  if (!length || numberOf(length) !== bytes.length) throw wrongContent('The length is not that of the data');
  return bytes;
}

export function uint16(number: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(number);
  return bytes;
}
