// For tests: a process that puts blobs endlessly and reports each handle. The bytes of a blob contain its number, which
// determines its size, so that a reader detects incomplete blobs.
import { writeSync } from 'node:fs';
import { bytesOf, piecesOf } from '../contract/bodies.ts';
import { openEmbeddedBlobs } from './engine.ts';

export interface PutterOptions {
  folder: string;
  from: number;
  most: number; // blobs
  lanes: number; // puts at the same time
  segmentBytes: number;
}

export const sizeOf = (number: number): number => (number % 10 === 0 ? 200_000 : (number * 37) % 16_385);

async function putOn({ folder, from, most, lanes, segmentBytes }: PutterOptions): Promise<void> {
  const engine = await openEmbeddedBlobs({ folder, segmentBytes });
  let next = from;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < from + most; number = next++) {
      const { handle } = await engine.put(piecesOf(bytesOf(number, sizeOf(number))));
      writeSync(1, `${number} ${handle}\n`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await engine.close();
}

if (process.argv[2] === 'put') await putOn(JSON.parse(process.argv[3] ?? '') as PutterOptions);
