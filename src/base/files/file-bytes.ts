// Reads and writes of open files that are complete or fail.
import { read, writev } from 'node:fs';
import { promisify } from 'node:util';

const mostPieces = 1000; // the system takes 1024 in one call
const readBytes = promisify(read);
const writePieces = promisify(writev);

// `file`: its descriptor.
export async function writeAll(file: number, pieces: readonly Uint8Array[], position: number): Promise<void> {
  let rest = pieces.filter(({ length }) => length > 0);
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await writePieces(file, rest.slice(0, mostPieces), at);
    at += bytesWritten;
    rest = behind(rest, bytesWritten);
  }
}

function behind(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let done = 0;
  let left = bytes;
  for (let piece = pieces[0]; piece && left >= piece.length; piece = pieces[done]) {
    left -= piece.length;
    done++;
  }
  const [first, ...others] = pieces.slice(done);
  return first ? [first.subarray(left), ...others] : [];
}

// Shorter only at the end of the file. The bytes lie in `bytes`.
export async function readAt(
  file: number,
  position: number,
  length: number,
  bytes: Buffer = Buffer.allocUnsafe(length),
): Promise<Buffer> {
  let done = 0;
  while (done < length) {
    const { bytesRead } = await readBytes(file, bytes, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
