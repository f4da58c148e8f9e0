// The values of an item that are worth comparing: those that clients set, in one form for all platforms.
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { Property } from '../../core/schema.ts';
import type { Section } from '../../surface/docs/seed-sections.ts';
import type { RegionOffer } from '../../surface/product.ts';
import { certificateFacts } from '../certificate-facts.ts';
import { keptValues } from '../copied-values.ts';

export interface Kind {
  section: Section;
  location: string; // of its datacenter
  offer: RegionOffer;
}

// Derived from the data of the region.
const neverKept = 's3CanonicalUserId';

// `isKept`: both sides have the same id, so values that the source has chosen are compared, too. `skipped`: properties
// that can't be compared.
export function comparableValues(
  there: Values,
  here: Values,
  { section, location, offer }: Kind,
  isKept: boolean,
  skipped: readonly string[],
): { there: Values; here: Values } {
  const { properties, relations = [] } = section.resource;
  const own = (item: Values): Values => {
    const chosen = isKept && isObject(item.was) ? keptValues(section.resource, item.was) : {};
    const found: Values = {};
    for (const [name, property] of Object.entries(properties)) {
      const value = plain(chosen[name] ?? item[name], property);
      if (value !== undefined) found[name] = value;
    }
    for (const { name } of relations) if (Array.isArray(item[name])) found[name] = item[name];
    return canonicalImages(found, location, offer);
  };
  const values = { there: own(there), here: own(here) };
  // The region chooses these, and a copy keeps only some of them.
  for (const [name, { serverFilled, default: usual }] of Object.entries(properties)) {
    if (!serverFilled) continue;
    const [one, other] = [values.there[name] ?? usual, values.here[name] ?? usual];
    const isCopied = isKept ? name !== neverKept : name in there || name in here;
    if (isCopied && one !== undefined && other !== undefined) {
      values.there[name] = one;
      values.here[name] = other;
    } else {
      delete values.there[name];
      delete values.here[name];
    }
  }
  for (const name of skipped) {
    delete values.there[name];
    delete values.here[name];
  }
  return section.resource.name === 'certificate' ? certificates(values) : values;
}

// Without defaults and empty values, which some platforms show and others omit.
function plain(value: Json | undefined, property: Property | undefined): Json | undefined {
  if (value === undefined || value === null) return undefined;
  if (property?.default !== undefined && JSON.stringify(value) === JSON.stringify(property.default)) return undefined;
  if (Array.isArray(value)) {
    const all = value.map((one) => plain(one, property?.items) ?? null);
    return all.length === 0 ? undefined : all;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, one]) => {
    const inner = key === 'href' ? undefined : plain(one, property?.properties?.[key] ?? property?.items);
    return inner === undefined ? [] : [[key, inner] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

// An alias and an id may mean the same image. Others than public ones can't be copied.
function canonicalImages(values: Values, location: string, offer: RegionOffer): Values {
  const { image, imageAlias, ...rest } = values;
  const name = imageAlias ?? image;
  const id = typeof name === 'string' ? offer.image(location, name) : undefined;
  const { replicaConfiguration: replicas } = rest;
  if (isObject(replicas) && Array.isArray(replicas.volumes)) {
    const volumes = replicas.volumes.filter(isObject).map((one) => canonicalImages(one, location, offer));
    rest.replicaConfiguration = { ...replicas, volumes };
  }
  return { ...rest, ...(id !== undefined && { image: id }) };
}

// A placeholder has another key than the original, and the same names and dates.
function certificates({ there, here }: { there: Values; here: Values }): { there: Values; here: Values } {
  const facts = { there: certificateFacts(there.certificate), here: certificateFacts(here.certificate) };
  const hasPlaceholder = facts.there?.isPlaceholder || facts.here?.isPlaceholder;
  const shown = (values: Values, found: typeof facts.there): Values => {
    const { certificate, certificateChain: _, ...rest } = values;
    if (!found) return { ...rest, ...(!hasPlaceholder && certificate !== undefined && { certificate }) };
    const { serialNumber, ...names } = found.facts;
    return { ...rest, ...names, ...(!hasPlaceholder && serialNumber !== undefined && { serialNumber }) };
  };
  return { there: shown(there, facts.there), here: shown(here, facts.here) };
}
