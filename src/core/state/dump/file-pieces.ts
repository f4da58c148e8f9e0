// The bytes of a file as pieces of a backup.
import { type FileHandle, open } from 'node:fs/promises';
import type { Piece } from './dump-file.ts';

const pieceBytes = 512 * 1024;

// `name`: that of the pieces.
export async function* piecesOf(name: string, path: string): AsyncGenerator<Piece> {
  yield* piecesIn(name, await open(path, 'r'));
}

// Nothing, where the file is not there any more.
export async function* piecesIfThere(name: string, path: string): AsyncGenerator<Piece> {
  const file = await openIfThere(path);
  if (file) yield* piecesIn(name, file);
}

export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

// Closes the file.
export async function* piecesIn(name: string, file: FileHandle): AsyncGenerator<Piece> {
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, null);
      if (bytesRead === 0) return;
      yield { name, bytes: buffer.subarray(0, bytesRead) };
    }
  } finally {
    await file.close();
  }
}
