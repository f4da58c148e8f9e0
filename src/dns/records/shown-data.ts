// Converts data in wire form to the content that the API shows.
import { nameInData } from '../server/resolve.ts';
import { quotedText } from './presentation.ts';
import { typeName } from './types.ts';

export function presentationOf(type: number, data: Buffer): { content: string; priority?: number } {
  const name = typeName(type);
  if (name === 'A') return { content: [...data].join('.') };
  if (name === 'AAAA') return { content: ipv6Text(data) };
  if (['CNAME', 'NS', 'PTR'].includes(name)) return { content: nameInData(data) };
  if (name === 'MX') return { content: nameInData(data, 2), priority: data.readUInt16BE(0) };
  if (name === 'SRV')
    return {
      content: `${data.readUInt16BE(2)} ${data.readUInt16BE(4)} ${nameInData(data, 6)}`,
      priority: data.readUInt16BE(0),
    };
  if (name === 'TXT') return { content: textsIn(data).map(quotedText).join(' ') };
  return { content: `\\# ${data.length} ${data.toString('hex')}` }; // RFC 3597
}

function ipv6Text(data: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => data.readUInt16BE(at * 2).toString(16));
  const text = new URL(`http://[${groups.join(':')}]`).hostname; // shortens it
  return text.slice(1, -1);
}

function textsIn(data: Buffer): Buffer[] {
  const texts: Buffer[] = [];
  for (let at = 0; at < data.length; at += (data[at] as number) + 1)
    texts.push(data.subarray(at + 1, at + 1 + (data[at] as number)));
  return texts;
}
