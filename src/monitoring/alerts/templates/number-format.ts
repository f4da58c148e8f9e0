// Numbers in the formats of Go, as Prometheus' templates write them: %v, %.4g, %e and the rest of printf.

const endless = (value: number): string | undefined =>
  Number.isNaN(value) ? 'NaN' : value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : undefined;

// %v: the shortest text that means the number, with an exponent from a million on.
export const shortest = (value: number): string => endless(value) ?? general(value.toExponential(), 6);

// %.4g with another number of digits: so many at most, no zeros at the end.
export const significant = (value: number, digits: number): string =>
  endless(value) ?? general(exponential(value, Math.max(0, digits - 1)), Math.max(1, digits));

// %e in its shortest form, as alerts carry their values.
export const scientific = (value: number): string => {
  const odd = endless(value);
  if (odd !== undefined) return odd;
  const [mantissa = '', exponent] = value.toExponential().split('e');
  return `${mantissa}e${exponentOf(Number(exponent))}`;
};

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

export type Printed = string | number | boolean;

const verbs = /%([-+ 0#]*)(\d{0,3})(?:\.(\d{0,3}))?([a-zA-Z%])/g;

// What is there of printf: %s %v %q %d %f %e %g %t %x %%, with width, precision and the flags - + 0.
export function printf(format: string, args: readonly Printed[]): string {
  let used = 0;
  const text = format.replace(
    verbs,
    (whole, flags: string, width: string, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%';
      if (used >= args.length) return `%!${verb}(MISSING)`;
      const value = args[used++] as Printed;
      const digits = precision === undefined ? undefined : Number(precision || 0);
      const shown = printOne(verb, value, digits);
      if (shown === undefined) return `%!${verb}(${plainText(value)})${whole.length > 40 ? '…' : ''}`;
      return padded(shown, flags, Number(width || 0), typeof value === 'number');
    },
  );
  return used < args.length ? `${text}%!(EXTRA ${args.slice(used).map(plainText).join(', ')})` : text;
}

export const plainText = (value: Printed): string => (typeof value === 'number' ? shortest(value) : String(value));

function printOne(verb: string, value: Printed, digits: number | undefined): string | undefined {
  if (verb === 's' || verb === 'v') return cut(plainText(value), verb === 's' ? digits : undefined);
  if (verb === 'q') return JSON.stringify(plainText(value));
  if (verb === 't') return typeof value === 'boolean' ? String(value) : undefined;
  if (typeof value !== 'number') return undefined;
  const odd = endless(value);
  if (odd !== undefined && 'dfFeEgGx'.includes(verb)) return odd;
  switch (verb) {
    case 'd':
      return Number.isInteger(value) ? String(BigInt(value)) : undefined;
    case 'x':
      return Number.isInteger(value) ? BigInt(value).toString(16) : undefined;
    case 'f':
    case 'F':
      return fixed(value, digits ?? 6);
    case 'e':
    case 'E': {
      const [mantissa, power] = exponential(value, digits ?? 6).split('e');
      return `${mantissa}e${exponentOf(Number(power))}`;
    }
    case 'g':
    case 'G':
      return digits === undefined ? shortest(value) : significant(value, digits || 1);
    default:
      return undefined;
  }
}

// JavaScript rounds what lies in the middle up, Go to the even digit. So many more digits tell whether it does.
const more = 25;
const mostDigits = 100 - more;

function exponential(value: number, digits: number): string {
  const count = Math.min(mostDigits, digits);
  const [long = '', power] = value.toExponential(count + more).split('e');
  return evenly(long, value.toExponential(count), `e${power}`);
}

// toFixed gives up at 1e21.
function fixed(value: number, digits: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
  const count = Math.min(mostDigits, digits);
  return evenly(value.toFixed(count + more), value.toFixed(count), '');
}

function evenly(long: string, rounded: string, end: string): string {
  const kept = long.slice(0, -more).replace(/\.$/, '');
  const isMiddle = /^50*$/.test(long.slice(-more));
  return isMiddle && /[02468]$/.test(kept) ? kept + end : rounded;
}

const cut = (text: string, most: number | undefined): string =>
  most === undefined ? text : [...text].slice(0, most).join('');

function padded(text: string, flags: string, width: number, isNumber: boolean): string {
  const signed = isNumber && flags.includes('+') && !/^[-+]/.test(text) ? `+${text}` : text;
  if (flags.includes('-')) return signed.padEnd(width);
  if (!isNumber || !flags.includes('0')) return signed.padStart(width);
  const sign = /^[-+]/.exec(signed)?.[0] ?? '';
  return sign + signed.slice(sign.length).padStart(width - sign.length, '0');
}
