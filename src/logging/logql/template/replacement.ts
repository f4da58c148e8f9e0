// Go's replacement texts for regular expressions: $1, ${1}, $name and ${name}; $$ is a dollar sign.

export function expanded(
  replacement: string,
  names: Readonly<Record<string, number>>,
  group: (index: number) => string,
  count: number,
): string {
  return replacement.replace(/\$(?:\$|(\w+)|\{(\w+)\})/g, (whole_, plain?: string, braced?: string) => {
    const name = plain ?? braced;
    if (name === undefined) return whole_ === '$$' ? '$' : whole_;
    const index = /^\d+$/.test(name) ? Number(name) : Object.hasOwn(names, name) ? names[name] : undefined;
    return index === undefined || index > count ? '' : group(index);
  });
}
