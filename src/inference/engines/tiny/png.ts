// Writes PNG files of up to 256 colours. Node has the two algorithms that PNG needs, deflate and CRC-32.
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const compress = promisify(deflate);

export interface IndexedImage {
  width: number;
  height: number;
  palette: Uint8Array; // red, green, blue of each colour
  rows: Uint8Array; // each row: a 0 (no filter), then the colour of each pixel
  texts: Readonly<Record<string, string>>; // Latin-1, shown by programs that display metadata
}

export async function encodePng({ width, height, palette, rows, texts }: IndexedImage): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits a pixel, by palette, not interlaced
  const chunks = [
    chunk('IHDR', header),
    chunk('PLTE', palette),
    ...Object.entries(texts).map(([name, text]) => chunk('tEXt', Buffer.from(`${name}\0${text}`, 'latin1'))),
    chunk('IDAT', await compress(rows)),
    chunk('IEND', new Uint8Array()),
  ];
  return Buffer.concat([signature, ...chunks]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
