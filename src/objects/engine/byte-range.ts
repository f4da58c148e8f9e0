// Checks ranges of blobs, whose size is part of their handle.
import { Fault } from '../../base/fault.ts';
import type { ByteRange } from './engine.ts';

export function rangeWithin(size: number, range: ByteRange = { offset: 0, length: size }): ByteRange {
  const { offset, length } = range;
  if (offset < 0 || length < 0 || offset + length > size)
    throw new RangeError(`bytes ${offset} to ${offset + length} of a blob of ${size}`);
  return range;
}

export const noSuchBlob = (handle: string): Fault => new Fault('missing', `The blob ${handle} does not exist.`);

export class DamagedBlob extends Fault {
  constructor(handle: string, cause?: unknown) {
    super('unavailable', `The blob ${handle} is damaged.`, { cause });
  }
}
