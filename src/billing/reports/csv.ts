// Lines of CSV files.
import type { Json } from '../../base/json.ts';

export const csvLine = (values: readonly Json[]): string => values.map(quoted).join(',');

// Names are the users' own: a comma, a quote or what a spreadsheet would take for a formula.
function quoted(value: unknown): string {
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value === 'string' ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
