// Validation of a catalogue file: first each value, then references between entries. All problems are reported
// together, each with its path in the file.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { check } from '../../core/schema.ts';
import { type CatalogueFile, metroOf, parts } from './catalogue-file.ts';

type Part = { [name in keyof CatalogueFile]: CatalogueFile[name] extends object[] ? name : never }[keyof CatalogueFile];
type Say = (at: string, message: string) => void;

export function checkCatalogue(sent: Json): { file: CatalogueFile; problems: string[] } {
  const checked = check(parts, sent, 'create', '');
  const problems = checked.problems.map(({ message }) => placed(message));
  const { values } = checked;
  const file = values as unknown as CatalogueFile;
  // Too many problems to find all: references are checked when those are fixed.
  if (!isObject(sent) || problems.length >= 100) return { file, problems };
  const say: Say = (at, message) => void problems.push(`${at}: ${message}`);
  const sound = soundIn(values, [...problems]);
  regionsFit(values, say);
  locationsFit(sound, values, say);
  familiesFit(sound, values, say);
  imagesFit(sound, values, say);
  gpusFit(sound, values, say);
  templatesFit(sound, say);
  return { file, problems };
}

// `[.images.[3].size] Expected …` as a path into the file.
function placed(message: string): string {
  const [, place = '', says = message] = /^\[(.*?)\] (?=[A-Z])(.*)$/s.exec(message) ?? [];
  const path = place.replaceAll('.[', '[').replace(/^\./, '');
  return path === '' ? says : `${path}: ${says}`;
}

// The elements of a part that are valid in the examined fields, whatever is wrong with the rest of them; each with its
// position.
type Sound = <P extends Part, N extends keyof CatalogueFile[P][number] & string>(
  part: P,
  ...names: N[]
) => { at: string; one: Pick<CatalogueFile[P][number], N> }[];

const soundIn =
  (values: Values, problems: string[]): Sound =>
  (part, ...names) => {
    const all = values[part];
    const entries = (Array.isArray(all) ? all : []) as unknown as CatalogueFile[typeof part][number][];
    return entries
      .map((one, index) => ({ at: `${part}[${index}]`, one }))
      .filter(({ at }) => {
        const places = [`${at}:`, ...names.flatMap((name) => [`${at}.${name}:`, `${at}.${name}[`])];
        return !problems.some((problem) => places.some((place) => problem.startsWith(place)));
      });
  };

// The ids of all locations, including those with other problems: references to them are still valid.
const locationsOf = ({ locations }: Values): string[] =>
  (Array.isArray(locations) ? locations : []).flatMap((one) =>
    isObject(one) && typeof one.id === 'string' ? [one.id] : [],
  );

const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

function regionsFit(values: Values, say: Say): void {
  const regions = textsOf(values.regions);
  const known = new Set(locationsOf(values).map((id) => id.replaceAll('/', '-')));
  for (const [index, region] of regions.entries())
    if (!known.has(region)) say(`regions[${index}]`, `location ${region.replaceAll('-', '/')} does not exist`);
  once(
    regions.map((word, index) => [`regions[${index}]`, word]),
    say,
  );
  const { defaultRegion } = values;
  if (typeof defaultRegion === 'string' && !regions.includes(defaultRegion))
    say('defaultRegion', `'${defaultRegion}' is none of the regions`);
}

function locationsFit(sound: Sound, values: Values, say: Say): void {
  once(
    sound('locations', 'id').map(({ at, one }) => [`${at}.id`, one.id]),
    say,
  );
  const all = sound('locations', 'id', 'metroRegion', 'ipBlocks');
  const known = locationsOf(values);
  for (const { at, one } of all) {
    const metro = metroOf(one);
    if (metro === one.id) {
      if (!one.ipBlocks) say(`${at}.ipBlocks`, 'only a part of another location can leave addresses to that one');
      continue;
    }
    const above = all.find((other) => other.one.id === metro);
    if (!known.includes(metro)) say(`${at}.metroRegion`, `location ${metro} does not exist`);
    else if (above && metroOf(above.one) !== metro)
      say(`${at}.metroRegion`, `${metro} is itself a part of another location`);
  }
}

function familiesFit(sound: Sound, values: Values, say: Say): void {
  once(
    sound('cpuFamilies', 'cpuFamily').map(({ at, one }) => [`${at}.cpuFamily`, one.cpuFamily]),
    say,
  );
  const all = sound('cpuFamilies', 'cpuFamily', 'locations');
  for (const { at, one } of all) placesFit(at, one.locations, values, say);
  // With an invalid one it is unknown which family the other locations lack.
  if (all.length === 0 || all.length !== (values.cpuFamilies as Json[]).length) return;
  for (const { at, one } of sound('locations', 'id', 'defaultCpuFamily')) {
    const here = all.filter(({ one: family }) => family.locations?.includes(one.id) ?? true);
    const { defaultCpuFamily } = one;
    if (here.length === 0) say(at, `no CPU family is offered in ${one.id}`);
    else if (defaultCpuFamily !== null && !here.some(({ one: { cpuFamily } }) => cpuFamily === defaultCpuFamily))
      say(`${at}.defaultCpuFamily`, `'${defaultCpuFamily}' is not offered in ${one.id}`);
  }
}

function imagesFit(sound: Sound, values: Values, say: Say): void {
  const metros = new Map(sound('locations', 'id', 'metroRegion').map(({ one }) => [one.id, metroOf(one)]));
  const everywhere = [...metros.keys()].filter((id) => metros.get(id) === id);
  const taken = new Map<string, { at: string; locations: string[] }[]>();
  const take = (place: string, word: string, at: string, locations: string[]): void => {
    const before = taken.get(word) ?? [];
    taken.set(word, [...before, { at, locations }]);
    for (const other of before) {
      const shared = locations.find((one) => other.locations.includes(one));
      if (shared !== undefined) say(place, `'${word}' already names ${other.at} in ${shared}`);
    }
  };
  once(
    sound('images', 'id').flatMap(({ at, one }) => (one.id === null ? [] : [[`${at}.id`, one.id] as const])),
    say,
  );
  for (const { at, one } of sound('images', 'locations', 'id')) {
    if (one.id !== null && one.locations?.length !== 1)
      say(`${at}.id`, 'an image with its own id must be in exactly one location');
    placesFit(at, one.locations, values, say);
    for (const [index, id] of (one.locations ?? []).entries()) {
      const metro = metros.get(id) ?? id;
      if (metro !== id) say(`${at}.locations[${index}]`, `${id} has the images of ${metro}. Name ${metro} instead`);
    }
  }
  for (const { at, one } of sound('images', 'locations', 'name', 'aliases', 'imageType')) {
    const locations = one.locations ?? everywhere;
    take(`${at}.name`, one.name, at, locations);
    for (const [index, alias] of one.aliases.entries()) {
      const place = `${at}.aliases[${index}]`;
      take(place, alias, at, locations);
      if (alias.endsWith('_iso') !== (one.imageType === 'CDROM'))
        say(place, 'an alias must end with _iso if, and only if, the image is a CDROM');
    }
  }
}

function gpusFit(sound: Sound, values: Values, say: Say): void {
  const all = sound('gpus', 'vendor', 'model', 'locations');
  const known = all.map(({ one }) => `${one.vendor} ${one.model}`);
  once(
    all.map(({ at }, index) => [at, known[index] ?? '']),
    say,
  );
  for (const { at, one } of all) placesFit(at, one.locations, values, say);
  for (const { at, one } of sound('templates', 'gpus'))
    for (const [index, { vendor, model }] of one.gpus.entries())
      if (!known.includes(`${vendor} ${model}`)) say(`${at}.gpus[${index}]`, `GPU ${vendor} ${model} does not exist`);
}

// Clients search by a part of a name, so no name may be a part of another.
function templatesFit(sound: Sound, say: Say): void {
  const all = sound('templates', 'name');
  once(
    sound('templates', 'id').flatMap(({ at, one }) => (one.id === null ? [] : [[`${at}.id`, one.id] as const])),
    say,
  );
  for (const [index, { at, one }] of all.entries()) {
    const name = one.name.toLowerCase();
    for (const [otherIndex, other] of all.entries()) {
      const isSame = other.one.name.toLowerCase() === name;
      if (otherIndex === index || (isSame && otherIndex > index)) continue;
      if (name.includes(other.one.name.toLowerCase()))
        say(`${at}.name`, `'${one.name}' also matches a search for '${other.one.name}' (${other.at})`);
    }
  }
}

function placesFit(at: string, ids: string[] | null, values: Values, say: Say): void {
  const known = locationsOf(values);
  const named = (ids ?? []).map((id, index): [string, string] => [`${at}.locations[${index}]`, id]);
  for (const [place, id] of named) if (!known.includes(id)) say(place, `location ${id} does not exist`);
  once(named, say);
}

function once(words: readonly (readonly [at: string, word: string])[], say: Say): void {
  const first = new Map<string, string>();
  for (const [at, word] of words) {
    const before = first.get(word);
    if (before !== undefined) say(at, `'${word}' is already in ${before}`);
    first.set(word, before ?? at);
  }
}
