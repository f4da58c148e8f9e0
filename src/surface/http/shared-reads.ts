// What all connections of a server read is put into one buffer, instead of a piece of memory for each read, which takes
// a tenth of a small call. Who connects can ask Node for that (`onread` of net.connect). Sockets that a server accepts
// work the same way, but no option of a server reaches them: it has to be switched on inside. Where Node has changed
// there, `false` says so, and the socket reads as it always did. To pause such a socket stops it at once, and then
// nobody hears that the other side has left.
import type { Socket } from 'node:net';

// `bytes` are there until it returns: what is needed later must be copied. `false`: nothing more for now.
export type Came = (bytes: Buffer) => boolean;

const largest = 64 * 1024;
let shared: Buffer | undefined;

interface Inside {
  [key: symbol]: unknown;
  _handle?: { useUserBuffer?: (buffer: Uint8Array) => void } | null;
}

export function readShared(socket: Socket, came: Came): boolean {
  const inside = socket as unknown as Inside;
  const handle = inside._handle;
  const names = Object.getOwnPropertySymbols(socket);
  const bufferName = names.find(({ description }) => description === 'kBuffer');
  const callbackName = names.find(({ description }) => description === 'kBufferCb');
  if (!handle?.useUserBuffer || !bufferName || !callbackName) return false;
  shared ??= Buffer.allocUnsafeSlow(largest);
  const buffer = shared;
  inside[bufferName] = buffer;
  inside[callbackName] = (count: number): boolean => came(buffer.subarray(0, count));
  handle.useUserBuffer(buffer);
  socket.resume();
  return true;
}
