// The data of LOC records (RFC 1876): `52 31 12.5 N 13 24 36 E 34m 1m 10000m 10m`; minutes, seconds, size and
// precisions are optional.
import { wrongContent } from './presentation.ts';

const middle = 2 ** 31; // of the equator and the meridian, in thousandths of a second
const groundCm = 10_000_000; // altitudes count from 100 km below the ellipsoid

export function locationBytes(words: readonly string[]): Buffer {
  const rest = [...words];
  const latitude = angleOf(rest, 'NS', 90);
  const longitude = angleOf(rest, 'EW', 180);
  const altitude = centimetresOf(rest.shift(), -100_000, 42_849_672.95);
  const [size = '1m', horizontal = '10000m', vertical = '10m', extra] = rest;
  if (extra !== undefined) throw wrongContent(`'${extra.slice(0, 20)}' is not expected`);
  const bytes = Buffer.alloc(16);
  for (const [at, text] of [size, horizontal, vertical].entries())
    bytes.writeUInt8(precisionOf(centimetresOf(text, 0, 90_000_000)), at + 1);
  bytes.writeUInt32BE(latitude, 4);
  bytes.writeUInt32BE(longitude, 8);
  bytes.writeUInt32BE(altitude + groundCm, 12);
  return bytes;
}

// Removes its words from the list.
function angleOf(words: string[], directions: string, most: number): number {
  const end = words.findIndex((word) => word.length === 1 && directions.includes(word.toUpperCase()));
  if (end < 1 || end > 3) throw wrongContent(`Expected DEGREES [MINUTES [SECONDS]] ${directions[0]}|${directions[1]}`);
  const [degrees = 0, minutes = 0, seconds = 0] = words.splice(0, end).map(Number);
  const direction = words.shift()?.toUpperCase();
  const angle = degrees * 3600 + minutes * 60 + seconds;
  const isFine = [degrees, minutes, seconds].every((one) => one >= 0) && minutes < 60 && seconds < 60;
  if (!isFine || angle > most * 3600) throw wrongContent('An angle is out of its range');
  const thousandths = Math.round(angle * 1000);
  return direction === directions[0] ? middle + thousandths : middle - thousandths;
}

function centimetresOf(text: string | undefined, least: number, most: number): number {
  const metres = Number(/^(-?\d+(\.\d{1,2})?)m?$/.exec(text ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(metres) || metres < least || metres > most)
    throw wrongContent(`Expected metres such as 34m, got '${(text ?? '').slice(0, 20)}'`);
  return Math.round(metres * 100);
}

// One digit and a power of ten.
function precisionOf(centimetres: number): number {
  let [digit, power] = [centimetres, 0];
  for (; digit >= 10; power++) digit = Math.floor(digit / 10);
  return digit * 16 + power;
}
