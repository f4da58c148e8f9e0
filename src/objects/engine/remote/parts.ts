// Splits a body into the parts of an upload: all but the last have the size that the server requires. They stay in
// memory while they are sent, because a part may have to be sent again.

const leastPartBytes = 8 * 1024 * 1024;
const mostParts = 9_000; // the server's limit is 10,000
const partsPerStep = 1_000;

export interface Part {
  number: number; // from 1
  bytes: Uint8Array<ArrayBuffer>;
  isLast: boolean;
}

// If the size of the body is unknown, parts grow with their number: up to 440 GB in total.
export const partBytes = (number: number, size = 0): number =>
  Math.max(leastPartBytes * Math.ceil(number / partsPerStep), Math.ceil(size / mostParts));

// Yields at least one part, which may be empty.
export async function* partsOf(body: AsyncIterable<Uint8Array>, size?: number): AsyncGenerator<Part, void> {
  let number = 1;
  let pieces: Uint8Array[] = [];
  let waiting = 0;
  for await (const piece of body) {
    let rest = piece;
    // A full part is known not to be the last one only when more bytes arrive.
    while (waiting + rest.length > partBytes(number, size)) {
      const taken = rest.subarray(0, partBytes(number, size) - waiting);
      yield { number, bytes: Buffer.concat([...pieces, taken]), isLast: false };
      number++;
      pieces = [];
      waiting = 0;
      rest = rest.subarray(taken.length);
    }
    pieces.push(rest);
    waiting += rest.length;
  }
  yield { number, bytes: Buffer.concat(pieces), isLast: true };
}
