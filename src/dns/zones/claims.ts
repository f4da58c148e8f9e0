// The claims of zones and records: names that exist once in the region.

// A zone and a secondary zone can't have the same name.
export const zoneScope = 'dns-zone';
export const zoneClaim = (name: string): string => `${zoneScope} ${name}`;

// `ZONE/name/TYPE/digest`
export const recordScope = 'dns-record';
export const recordPrefix = (zoneId: string, name: string): string => `${zoneId}/${name || '@'}/`;
