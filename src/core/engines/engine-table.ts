// The engines of one kind, by the scheme of their addresses. The settings accept the schemes of the same table, so an
// engine is declared once.
import { Fault } from '../../base/fault.ts';

// What follows the scheme.
export interface AddressForm {
  shown: string; // in messages
  accepts(rest: string): boolean;
}

// The scheme is the key. `s3+http(s)` are two schemes: with the letters in brackets and without them.
export type EngineTable<Open> = Readonly<Record<string, { at: AddressForm; open: Open }>>;

export const builtIn: AddressForm = { shown: '', accepts: (rest) => rest === '' };
// With data in the data folder of one node. The setting `here` moves it to this node; openers may get the folder.
export const inDataFolder: AddressForm = { ...builtIn };
export const atFolder: AddressForm = { shown: ':FOLDER', accepts: (rest) => /^:./.test(rest) };
export const atFile: AddressForm = { ...atFolder, shown: ':FILE' };
export const atDatabase: AddressForm = { shown: '://…', accepts: (rest) => /^:./.test(rest) };
export const atSocket: AddressForm = { shown: ':///PATH', accepts: (rest) => /^:\/\/\/./.test(rest) };
export const atBrokers: AddressForm = { shown: '://HOST:PORT,…', accepts: (rest) => /^:\/\/[^/\s]/.test(rest) };
export const onWeb: AddressForm = {
  shown: '://…',
  accepts: (rest) => /^:\/\/[^/\s]/.test(rest) && URL.canParse(`http${rest}`),
};

export function opener<Open>(engines: EngineTable<Open>, address: string): Open {
  const scheme = schemeOf(address);
  const found = entryOf(engines, scheme);
  if (!found) throw new Fault('refused', `Expected an engine address (${shownForms(engines)}), not ${scheme}:….`);
  return found.open;
}

// Whether a setting can name it.
export function isAddressOf(engines: EngineTable<unknown>, text: string): boolean {
  if (text === 'here') return Object.values(engines).some(({ at }) => at === inDataFolder);
  const scheme = schemeOf(text);
  return entryOf(engines, scheme)?.at.accepts(text.slice(scheme.length)) ?? false;
}

export function shownForms(engines: EngineTable<unknown>): string {
  const forms = Object.entries(engines).flatMap(([scheme, { at }]) => [
    `${scheme}${at.shown}`,
    ...(at === inDataFolder ? ['here'] : []),
  ]);
  return [forms.slice(0, -1).join(', '), forms.at(-1)].filter(Boolean).join(' or ');
}

const schemeOf = (address: string): string => address.split(':', 1)[0] ?? '';

function entryOf<Open>(engines: EngineTable<Open>, scheme: string): EngineTable<Open>[string] | undefined {
  const [, found] =
    Object.entries(engines).find(
      ([key]) => scheme === key.replace(/\(.*\)/, '') || scheme === key.replace(/[()]/g, ''),
    ) ?? [];
  return found;
}
