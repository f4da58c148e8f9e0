// Converts field names to label names: invalid characters become underscores.

const known = new Map<string, string>();
const mostKnown = 4096;

export function labelNameOf(field: string): string {
  const cached = known.get(field);
  if (cached !== undefined) return cached;
  const trimmed = field.trim();
  const prefixed = /^\d/.test(trimmed) ? `_${trimmed}` : trimmed;
  const name = prefixed.replace(/[^a-zA-Z0-9_]/gu, '_');
  if (known.size < mostKnown) known.set(field, name);
  return name;
}
