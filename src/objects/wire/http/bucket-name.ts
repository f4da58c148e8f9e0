// Bucket names: they are parts of host names, so the rules of DNS apply, and some names are reserved.
import { s3Fault } from '../error.ts';

const reservedPrefixes = ['xn--', 'sthree-', 'amzn-s3-demo-'];
const reservedSuffixes = ['-s3alias', '--ol-s3', '.mrap', '--x-s3', '--table-s3'];

export function isBucketName(name: string): boolean {
  return (
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
    !/\.\.|\.-|-\.|^\d+\.\d+\.\d+\.\d+$/.test(name) &&
    !reservedPrefixes.some((prefix) => name.startsWith(prefix)) &&
    !reservedSuffixes.some((suffix) => name.endsWith(suffix))
  );
}

const rule =
  'The specified bucket is not valid: a name has 3 to 63 of a-z, 0-9, . and -, begins and ends with a letter or digit.';

export function checkBucketName(name: string): string {
  if (isBucketName(name)) return name;
  throw s3Fault('InvalidBucketName', rule);
}
