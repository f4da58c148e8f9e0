// Writes a zone as a BIND zone file.

import { quotedText, wordsOf } from '../records/presentation.ts';
import { typesWithPriority } from '../records/types.ts';
import { hostmaster, primaryServers } from '../server/constants.ts';
import type { RecordValues } from '../zones/record.ts';

const namesAtEnd: readonly string[] = ['CNAME', 'ALIAS', 'NS', 'MX', 'SRV', 'RP'];

// The lines before the records; they include the platform's name servers if the zone has no others.
export function headLines(zoneName: string, serial: number, withServers: boolean): string[] {
  const [server = ''] = primaryServers;
  return [
    `$ORIGIN ${zoneName}.`,
    '$TTL 3600',
    `@ 3600 IN SOA ${server}. ${hostmaster}. ${serial} 10800 3600 604800 600`,
    ...(withServers ? primaryServers.map((one) => `@ 86400 IN NS ${one}.`) : []),
  ];
}

export function lineOf({ name, type, ttl, content, priority, enabled }: RecordValues): string {
  const rank = typesWithPriority.includes(type) ? `${priority ?? 0} ` : '';
  const line = `${name || '@'} ${ttl} IN ${type} ${rank}${contentOf(type, content)}`;
  return enabled && type !== 'ALIAS' ? line : `; ${line}`; // no other name server knows an ALIAS
}

function contentOf(type: string, content: string): string {
  if (type === 'TXT') {
    const isQuoted = content.trim().startsWith('"');
    const words = isQuoted ? wordsOf(content).map(({ bytes }) => bytes) : [Buffer.from(content)];
    return words
      .flatMap((bytes) => piecesOf(bytes))
      .map(quotedText)
      .join(' ');
  }
  if (type === 'HTTPS' || type === 'SVCB') return content.replace(/^(\S+\s+[^\s.]\S*[^\s.])(?=\s|$)/, '$1.');
  if (!namesAtEnd.includes(type)) return content;
  return content
    .split(/\s+/)
    .map((word) => (/[a-z_]/i.test(word) && !word.endsWith('.') ? `${word}.` : word))
    .join(' ');
}

function piecesOf(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) pieces.push(bytes.subarray(at, at + 255));
  return pieces;
}
