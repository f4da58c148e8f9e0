// The memory of bodies that are read whole, of all calls together: many of them, each within the limit of its route,
// could take all that the process has. What does not fit is refused before it is read, or as soon as it grows too
// large; the same call may fit a moment later. A call has its memory until it is answered. Streams take none.
import { totalmem } from 'node:os';
import { Fault } from '../base/fault.ts';
import { counter, type Figures, gauge } from './figures.ts';

const mb = 1024 * 1024;
const leastBytes = 64 * mb; // twice the largest body of a route
const mostBytes = 1024 * mb;
const share = 1 / 8; // of the machine's memory: a body is in memory several times while it is read and parsed
const retryAfterS = 1;

export const bodyFigures = {
  heldBytes: gauge('Memory used by the bodies of pending calls.'),
  limitBytes: gauge('Maximum of that memory.'),
  refused: counter('Calls whose body did not fit into that memory.'),
};

// Of the machine, or of the container that the process runs in.
export function bodyMemoryLimit(machine = totalmem(), container = process.constrainedMemory()): number {
  const memory = container > 0 ? Math.min(machine, container) : machine;
  return Math.floor(Math.min(mostBytes, Math.max(leastBytes, memory * share)));
}

// A call.
export interface BodyHolder {
  readonly caller: { readonly contract: number } | undefined;
  readonly bodyMemory: BodyMemory | undefined; // absent: its body is not counted
  heldBytes: number;
}

// One contract has half of it at most, so that others are served.
export class BodyMemory {
  readonly #limit: number;
  readonly #contracts = new Map<number | undefined, number>(); // what each has; undefined: calls without credentials
  #held = 0;
  #refused = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  // Throws where there is not so much left.
  hold(call: BodyHolder, bytes: number): void {
    const contract = call.caller?.contract;
    const own = (this.#contracts.get(contract) ?? 0) + bytes;
    if (this.#held + bytes > this.#limit || own > this.#limit / 2) {
      this.#refused += 1;
      throw new Fault(
        'unavailable',
        'The bodies of other calls use all the memory for bodies. Send this call again later.',
        { retryAfterS },
      );
    }
    call.heldBytes += bytes;
    this.#held += bytes;
    this.#contracts.set(contract, own);
  }

  // All that the call has.
  release(call: BodyHolder): void {
    if (call.heldBytes === 0) return;
    const contract = call.caller?.contract;
    const left = (this.#contracts.get(contract) ?? 0) - call.heldBytes;
    if (left > 0) this.#contracts.set(contract, left);
    else this.#contracts.delete(contract);
    this.#held -= call.heldBytes;
    call.heldBytes = 0;
  }

  figures(): Required<Figures<typeof bodyFigures>> {
    return { heldBytes: this.#held, limitBytes: this.#limit, refused: this.#refused };
  }
}

// Collects a body in one growing buffer. It does not keep the pieces: those of a body that arrives byte by byte would
// take hundreds of times its size.
export class BodyBuffer {
  readonly #call: BodyHolder;
  readonly #limit: number;
  #bytes: Uint8Array<ArrayBuffer>;
  #size = 0;

  // `expected`: its size, as far as that is known. `limit`: the most that is added.
  constructor(call: BodyHolder, expected: number, limit: number) {
    this.#call = call;
    this.#limit = limit;
    call.bodyMemory?.hold(call, expected);
    this.#bytes = new Uint8Array(expected);
  }

  add(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (size > this.#bytes.length) this.#grow(Math.min(this.#limit, Math.max(size, this.#bytes.length * 2)));
    this.#bytes.set(piece, this.#size);
    this.#size = size;
  }

  #grow(length: number): void {
    this.#call.bodyMemory?.hold(this.#call, length - this.#bytes.length);
    const larger = new Uint8Array(length);
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }

  // The whole body. If it fills the buffer, as a body of known size does, this is the buffer itself.
  whole(): Uint8Array<ArrayBuffer> {
    return this.#size === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#size);
  }

  discard(): void {
    this.#bytes = new Uint8Array();
    this.#size = 0;
  }
}
