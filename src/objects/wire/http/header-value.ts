// Texts that become values of headers and did not come as one: fields of forms, parameters of a query, configurations.
import { s3Fault } from '../error.ts';

// A character for each byte of its UTF-8, as node:http has the values that clients send. Headers can't have line ends
// and other control characters, so a text with one is refused.
export function asHeaderValue(text: string): string {
  const value = Buffer.from(text).toString('latin1');
  if (!/[^\t\x20-\x7e\x80-\xff]/.test(value)) return value;
  throw s3Fault('InvalidArgument', 'A value has characters that a header can not have.');
}
