// Numbers in the formats of Go, as clients of Prometheus expect them.

// strconv's format 'f' with the fewest digits: never with an exponent.
export function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const text = String(value);
  if (Object.is(value, -0)) return '-0';
  const at = text.indexOf('e');
  if (at < 0) return text;
  const exponent = Number(text.slice(at + 1));
  const negative = text.startsWith('-');
  const [whole = '', fraction = ''] = text.slice(negative ? 1 : 0, at).split('.');
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const shown = point <= 0 ? `0.${'0'.repeat(-point)}${digits}` : digits.padEnd(point, '0');
  return negative ? `-${shown}` : shown;
}

// Values of results: with an exponent if they are very large or small.
export function valueNumber(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const size = Math.abs(value);
  if (size >= 1e-6 && size < 1e21) return String(value);
  return value === 0 ? plainNumber(value) : goExponent(String(value));
}

// Format 'g', for annotations.
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const exponential = value.toExponential();
  const exponent = Number(exponential.slice(exponential.indexOf('e') + 1));
  return exponent < -4 || exponent >= 6 ? goExponent(exponential) : plainNumber(value);
}

// Label values of the OpenMetrics format such as quantiles: 1.0, not 1.
export function labelNumber(value: number): string {
  const text = shortNumber(value);
  return /[.eNI]/.test(text) ? text : `${text}.0`;
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

// In Go, an exponent has at least two digits.
function goExponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, (_, sign: string, digit: string) => `e${sign}0${digit}`);
}
