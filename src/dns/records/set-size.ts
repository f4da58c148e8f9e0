// How much a name can have. A DNS message has at most 65,535 bytes, so a set of records that is longer could never be
// answered.
import { wrongContent } from './presentation.ts';

const messageBytes = 65_535;
const headBytes = 12;
const questionBytes = 255 + 4; // with the longest name
const optBytes = 11;
const signatureBytes = 12 + 18 + 255 + 512; // by the largest key, with the longest name of a zone
export const mostSetBytes = messageBytes - headBytes - questionBytes - optBytes - signatureBytes;

// A record in an answer: a pointer to its name, type, class, TTL, the length of its data, and the data.
export const recordBytes = (data: Uint8Array): number => 12 + data.length;

export function demandRecordSize(data: Uint8Array): void {
  if (recordBytes(data) > mostSetBytes)
    throw wrongContent(
      `The record has ${data.length} bytes of data. No DNS message can carry more than ${mostSetBytes - 12}: shorten it`,
    );
}

export const setTooLarge = (name: string, type: string): string =>
  `All ${type} records of the name ${name || '@'} would have more than ${mostSetBytes} bytes together. No DNS message ` +
  'can carry them: remove some, or spread them over several names';
