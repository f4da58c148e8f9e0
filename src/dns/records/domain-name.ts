// Domain names: as text without the dot at the end, and in wire form. In the text a dot or a backslash inside a label
// is escaped by its three decimal digits (`\046`), so that every dot separates two labels.
import { wrongContent } from './presentation.ts';

const maxBytes = 255; // on the wire
const maxLabelBytes = 63;

// Lower case, because names are compared in any case. The root is an empty text.
export const nameKey = (name: string): string => name.replace(/\.$/, '').toLowerCase();

export const labelsOf = (key: string): string[] => (key === '' ? [] : key.split('.'));
export const parentOf = (key: string): string => key.slice(key.indexOf('.') + 1 || key.length);
export const isWithin = (key: string, zone: string): boolean =>
  zone === '' || key === zone || (key.endsWith(zone) && key[key.length - zone.length - 1] === '.');

// Undefined: the text is not a domain name. Underscores are for services and keys, a star for wildcards.
export function checkedName(name: string): string | undefined {
  const key = nameKey(name);
  const isFine = labelsOf(key).every((label) => /^(\*|[a-z0-9_/-]{1,63})$/.test(label) && !/^-|-$/.test(label));
  return isFine && key.length + 2 <= maxBytes ? key : undefined;
}

// The bytes of a label, one character each.
export const rawLabel = (label: string): string =>
  label.includes('\\')
    ? label.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number(digits)))
    : label;

// A name in wire form, without compression.
export function nameText(wire: Buffer, from = 0): string {
  const labels: string[] = [];
  for (let at = from; wire[at]; at += (wire[at] as number) + 1) {
    const label = wire.toString('latin1', at + 1, at + 1 + (wire[at] as number));
    labels.push(/[.\\]/.test(label) ? label.replaceAll('\\', '\\092').replaceAll('.', '\\046') : label);
  }
  return labels.join('.');
}

export function nameBytes(name: string): Buffer {
  const key = name.replace(/\.$/, '');
  const parts: Buffer[] = [];
  for (const label of labelsOf(key)) {
    const bytes = Buffer.from(rawLabel(label), 'latin1');
    if (bytes.length === 0 || bytes.length > maxLabelBytes) throw wrongContent(`'${name}' is not a domain name`);
    parts.push(Buffer.from([bytes.length]), bytes);
  }
  const wire = Buffer.concat([...parts, Buffer.from([0])]);
  if (wire.length > maxBytes) throw wrongContent(`'${name.slice(0, 60)}…' is too long for a domain name`);
  return wire;
}
