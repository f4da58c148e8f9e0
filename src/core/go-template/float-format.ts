// Floats in the formats of Go: %v, %.4g, %e and %f.

const endless = (value: number): string | undefined =>
  Number.isNaN(value) ? 'NaN' : value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : undefined;

// %v: the fewest digits that identify the number, with an exponent below 1e-4 and from 1e+06 on.
export const shortest = (value: number): string => endless(value) ?? general(value.toExponential(), 6);

// %.4g with another number of digits: at most that many, without zeros at the end.
export const significant = (value: number, digits: number): string =>
  endless(value) ?? general(exponential(value, Math.max(0, digits - 1)), Math.max(1, digits));

// %e in its shortest form, as alerts carry their values.
export const scientific = (value: number): string => {
  const odd = endless(value);
  if (odd !== undefined) return odd;
  const [mantissa = '', exponent] = value.toExponential().split('e');
  return `${mantissa}e${exponentOf(Number(exponent))}`;
};

// %f, %e and %g, also in capitals; undefined for other verbs.
export function printFloat(verb: string, value: number, digits: number | undefined): string | undefined {
  if (!'fFeEgG'.includes(verb)) return undefined;
  const odd = endless(value);
  if (odd !== undefined) return odd;
  const text = printLower(verb.toLowerCase(), value, digits);
  return verb === 'E' || verb === 'G' ? text.toUpperCase() : text;
}

function printLower(verb: string, value: number, digits: number | undefined): string {
  if (verb === 'f') return fixed(value, digits ?? 6);
  if (verb === 'g') return digits === undefined ? shortest(value) : significant(value, digits || 1);
  const [mantissa, power] = exponential(value, digits ?? 6).split('e');
  return `${mantissa}e${exponentOf(Number(power))}`;
}

function general(text: string, most: number): string {
  const [mantissa = '', power] = text.split('e');
  const exponent = Number(power);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '').replace(/(?<=.)0+$/, '');
  if (exponent < -4 || exponent >= most) {
    const rest = digits.slice(1);
    return `${sign}${digits[0]}${rest && `.${rest}`}e${exponentOf(exponent)}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const rest = digits.slice(exponent + 1);
  return `${sign}${whole}${rest && `.${rest}`}`;
}

const exponentOf = (exponent: number): string =>
  `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;

// JavaScript rounds an exact tie up, Go to the even digit. More digits show whether it is a tie.
const more = 25;
const mostDigits = 100 - more;

function exponential(value: number, digits: number): string {
  const count = Math.min(mostDigits, digits);
  const [long = '', power] = value.toExponential(count + more).split('e');
  return evenly(long, value.toExponential(count), `e${power}`);
}

// toFixed uses exponents from 1e21 on.
function fixed(value: number, digits: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
  const count = Math.min(mostDigits, digits);
  return evenly(value.toFixed(count + more), value.toFixed(count), '');
}

function evenly(long: string, rounded: string, end: string): string {
  const kept = long.slice(0, -more).replace(/\.$/, '');
  const isTie = /^50*$/.test(long.slice(-more));
  return isTie && /[02468]$/.test(kept) ? kept + end : rounded;
}
