// The maximum size of the records of a name. A DNS message has at most 65,535 bytes, so a longer set of records could
// never be answered.
import { wrongContent } from './presentation.ts';

const messageBytes = 65_535;
const headBytes = 12;
const questionBytes = 255 + 4; // with the longest name
const optBytes = 11;
const signatureBytes = 12 + 18 + 255 + 512; // for the largest key, with the longest name of a zone
export const maxSetBytes = messageBytes - headBytes - questionBytes - optBytes - signatureBytes;

// A record in an answer: a pointer to its name, type, class, TTL, the length of its data, and the data.
export const recordBytes = (data: Uint8Array): number => 12 + data.length;

export function demandRecordSize(data: Uint8Array): void {
  if (recordBytes(data) > maxSetBytes)
    throw wrongContent(
      `The record has ${data.length} bytes of data. No DNS message can carry more than ${maxSetBytes - 12}. Shorten it`,
    );
}

export const setTooLarge = (name: string, type: string): string =>
  `All ${type} records of the name ${name || '@'} would have more than ${maxSetBytes} bytes together. No DNS message ` +
  'can carry them. Remove some, or distribute them over several names';
