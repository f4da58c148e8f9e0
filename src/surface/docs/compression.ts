// Compresses an answer if the client accepts it. Only the pages of the region use this: clients of the APIs are often
// on the same machine, where compression costs more time than it saves.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Exchange, Reply } from '../http/exchange.ts';

const encoders = {
  br: (content: Buffer) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content: Buffer) => promisify(gzip)(content),
};
type Encoding = keyof typeof encoders;

const minBytes = 1000;

// A file that stays in memory is compressed once.
const known: Record<Encoding, WeakMap<Buffer, Promise<Buffer>>> = { br: new WeakMap(), gzip: new WeakMap() };

export async function compressedReply(x: Exchange, reply: Reply): Promise<Reply> {
  const { body = '', headers = [], type = 'application/json' } = reply;
  const encoding = Buffer.byteLength(body) < minBytes ? undefined : acceptedBy(x);
  const varied = [...headers, 'Vary', 'Accept-Encoding'];
  if (!encoding) return { ...reply, headers: varied };
  const { size: _, ...rest } = reply;
  const content = typeof body === 'string' ? encoders[encoding](Buffer.from(body)) : compressedFile(encoding, body);
  return { ...rest, type, body: await content, headers: [...varied, 'Content-Encoding', encoding] };
}

function compressedFile(encoding: Encoding, body: Buffer): Promise<Buffer> {
  const before = known[encoding].get(body);
  if (before) return before;
  const compressed = encoders[encoding](body);
  known[encoding].set(body, compressed);
  return compressed;
}

// Brotli if the client names it, because it is smaller.
function acceptedBy({ req }: Exchange): Encoding | undefined {
  const accepted = String(req.headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !/;\s*q=0(?:\.0*)?$/.test(one))
    .map((one) => one.split(';')[0]);
  return (['br', 'gzip'] as const).find((one) => accepted.includes(one));
}
