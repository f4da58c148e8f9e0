// Lines of CSV files.
import type { Json } from '../../base/json.ts';

export const csvLine = (values: readonly Json[]): string => values.map(quoted).join(',');

// Users choose names: a comma, a quote and characters that start a spreadsheet formula must be escaped.
function quoted(value: unknown): string {
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value === 'string' ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
