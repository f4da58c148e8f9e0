// The directories of public CAs. They look names up in the public DNS, so they can't check names of a region whose name
// server is on this machine. Unless `up --public-acme` is set, the region's own CA issues instead, so that the
// configurations of the platform's users work unchanged.
const publicAuthorities = [
  'letsencrypt.org',
  'zerossl.com',
  'pki.goog',
  'buypass.com',
  'buypass.no',
  'ssl.com',
  'digicert.com',
  'sectigo.com',
  'globalsign.com',
  'actalis.com',
  'entrust.net',
];

export function isPublicAuthority(directory: string): boolean {
  const { hostname } = new URL(directory);
  return publicAuthorities.some((name) => hostname === name || hostname.endsWith(`.${name}`));
}
