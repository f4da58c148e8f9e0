// The Range header: one range of bytes. Any other value is ignored, as HTTP requires; a range after the end is refused
// with 416.
import { s3Fault } from '../error.ts';

export interface ByteRange {
  start: number;
  end: number; // inclusive
}

// Undefined: the whole object.
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.replace(/\s/g, '') ?? '');
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') return suffix(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Number(last);
  if (last !== '' && end < start) return undefined;
  if (start >= size) throw s3Fault('InvalidRange');
  return { start, end: Math.min(end, size - 1) };
}

function suffix(bytes: number, size: number): ByteRange {
  if (bytes === 0 || size === 0) throw s3Fault('InvalidRange');
  return { start: Math.max(0, size - bytes), end: size - 1 };
}

export const contentRange = ({ start, end }: ByteRange, size: number): string => `bytes ${start}-${end}/${size}`;

// x-amz-copy-source-range must be complete and inside the source.
export function parseCopyRange(header: string, size: number): ByteRange {
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header);
  const range = { start: Number(match?.[1]), end: Number(match?.[2]) };
  if (!match || range.end < range.start) {
    const message = 'The x-amz-copy-source-range value must be of the form bytes=first-last';
    throw s3Fault('InvalidArgument', message);
  }
  if (range.end >= size)
    throw s3Fault('InvalidRange', `Range specified is not valid for source object of size: ${size}`);
  return range;
}
