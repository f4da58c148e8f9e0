// Reads and writes of files that are complete or fail.
import type { FileHandle } from 'node:fs/promises';

export async function writeAll(file: FileHandle, pieces: readonly Uint8Array[], position: number): Promise<void> {
  let rest = pieces.filter(({ length }) => length > 0);
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, at);
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

// Shorter only at the end of the file.
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, position + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}
