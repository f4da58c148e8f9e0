// Object keys for display: folders, names and sizes. Keys can be any text, so invisible characters are shown by code.

export interface Crumb {
  name: string;
  prefix: string;
}

// `a/b/` has the folders `a` and `b`.
export function crumbsOf(prefix: string): Crumb[] {
  const crumbs: Crumb[] = [];
  for (let at = prefix.indexOf('/'); at >= 0; at = prefix.indexOf('/', at + 1)) {
    const from = crumbs.at(-1)?.prefix.length ?? 0;
    crumbs.push({ name: prefix.slice(from, at), prefix: prefix.slice(0, at + 1) });
  }
  return crumbs;
}

export const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/', key.length - 2) + 1);

// The part of a key after the shown folder.
export const nameIn = (prefix: string, key: string): string =>
  key.startsWith(prefix) ? key.slice(prefix.length) : key;

// The file name of a download.
export function fileNameOf(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1) || key.replaceAll('/', '_');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are replaced
  return name.replace(/[\x00-\x1f\x7f/\\:*?"<>|\u202a-\u202e\u2066-\u2069]/g, '_').slice(0, 200) || 'object';
}

// Makes control characters, direction marks, and spaces at the ends visible.
export function visible(text: string): string {
  if (text === '') return '(empty name)';
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are replaced
      .replace(/[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, (sign) => `⟨${codeOf(sign)}⟩`)
      .replace(/^ +| +$/g, (spaces) => '␣'.repeat(spaces.length))
  );
}

const codeOf = (sign: string): string => (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0');

const units = ['B', 'KB', 'MB', 'GB', 'TB'];

// In powers of 1000, like prices.
export function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

const whole = new Intl.NumberFormat('en');
export const numberText = (count: number): string => whole.format(count);
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;
