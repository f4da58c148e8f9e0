// Addresses in wire form; the text has been validated.
export const ipv4Bytes = (text: string): Buffer => Buffer.from(text.split('.').map(Number));

export function ipv6Bytes(text: string): Buffer {
  const plain = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  const bytes = Buffer.alloc(16);
  for (const [at, group] of groups.entries()) bytes.writeUInt16BE(Number.parseInt(group, 16), at * 2);
  return bytes;
}

// The name of its PTR record.
export function reverseName(ip: string): string {
  if (!ip.includes(':')) return `${ip.split('.').toReversed().join('.')}.in-addr.arpa`;
  return `${[...ipv6Bytes(ip).toString('hex')].toReversed().join('.')}.ip6.arpa`;
}
