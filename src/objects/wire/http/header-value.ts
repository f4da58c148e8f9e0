// Converts texts that were not sent as headers to header values: form fields, query parameters, configurations.
import { s3Fault } from '../error.ts';

// One character for each byte of its UTF-8, as node:http represents received values. Headers can't contain line ends
// and other control characters, so a text with one is refused.
export function asHeaderValue(text: string): string {
  const value = Buffer.from(text).toString('latin1');
  if (!/[^\t\x20-\x7e\x80-\xff]/.test(value)) return value;
  throw s3Fault('InvalidArgument', 'A value has characters that a header cannot contain.');
}
