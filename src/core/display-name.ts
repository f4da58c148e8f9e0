// The display name of a resource: the first of these properties that it has, the best first.

export const nameKeys: readonly string[] =
  'name zoneName email key description accessKey commonName fqdn contractNumber'.split(' ');

export function nameIn(values: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of nameKeys) {
    const value = values[key];
    if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return String(value);
  }
  return undefined;
}

const longest = 200; // of a name that is stored outside the resource

// The name as a property for rows that mention the resource later, when it may be deleted or renamed.
export function namedBy(values: Readonly<Record<string, unknown>>): { name?: string } {
  const name = nameIn(values)?.slice(0, longest);
  return name === undefined ? {} : { name };
}
