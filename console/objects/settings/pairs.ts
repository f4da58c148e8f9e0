// Names and values as lines of text: `name = value`.

export const linesOf = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n');

export function pairsIn(lines: string): Record<string, string> {
  const pairs = new Map<string, string>(); // a name may be __proto__
  for (const line of lines.split('\n').filter((one) => one.trim() !== '')) {
    const at = line.indexOf('=');
    const name = (at < 0 ? line : line.slice(0, at)).trim();
    if (name === '') throw new Error(`The line “${line.trim()}” has no name. Type name = value.`);
    if (pairs.has(name)) throw new Error(`The name ${name} occurs twice.`);
    pairs.set(name, at < 0 ? '' : line.slice(at + 1).trim());
  }
  return Object.fromEntries(pairs);
}
