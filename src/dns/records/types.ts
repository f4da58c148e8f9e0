// The types of records that a zone can have, and their numbers on the wire.
export const typeNumbers: Readonly<Record<string, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  RP: 17,
  AAAA: 28,
  LOC: 29,
  SRV: 33,
  NAPTR: 35,
  CERT: 37,
  DS: 43,
  SSHFP: 44,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  NSEC3PARAM: 51,
  TLSA: 52,
  SMIMEA: 53,
  OPENPGPKEY: 61,
  SVCB: 64,
  HTTPS: 65,
  AXFR: 252,
  ANY: 255,
  URI: 256,
  CAA: 257,
  ALIAS: 65_401, // private use: it never leaves the region
};

// The types that the API accepts, in its order.
export const apiTypes =
  'A AAAA CNAME ALIAS MX NS SRV TXT CAA SSHFP TLSA SMIMEA DS HTTPS SVCB OPENPGPKEY CERT URI RP LOC'.split(' ');
export const typesWithPriority: readonly string[] = ['MX', 'SRV', 'URI'];

const names = new Map(Object.entries(typeNumbers).map(([name, number]) => [number, name]));

export const typeName = (number: number): string => names.get(number) ?? `TYPE${number}`;

// Undefined: the type does not exist.
export function typeNumber(name: string): number | undefined {
  const generic = /^TYPE(\d{1,5})$/i.exec(name)?.[1];
  const number = typeNumbers[name.toUpperCase()] ?? (generic === undefined ? undefined : Number(generic));
  return number !== undefined && number <= 65_535 ? number : undefined;
}
