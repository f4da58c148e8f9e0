// Go's replacement texts for regular expressions: $1, ${1}, $name and ${name}; $$ is a dollar sign.
import { longest } from '../../../core/go-template/values.ts';

export function expanded(
  replacement: string,
  names: Readonly<Record<string, number>>,
  group: (index: number) => string,
  count: number,
): string {
  let size = 0;
  const bounded = (text: string): string => {
    size += text.length;
    if (size > longest) throw new RangeError('the text is too long');
    return text;
  };
  return replacement.replace(/\$(?:\$|(\w+)|\{(\w+)\})/g, (whole_, plain?: string, braced?: string) => {
    const name = plain ?? braced;
    if (name === undefined) return whole_ === '$$' ? '$' : whole_;
    const index = /^\d+$/.test(name) ? Number(name) : Object.hasOwn(names, name) ? names[name] : undefined;
    return index === undefined || index > count ? '' : bounded(group(index));
  });
}
