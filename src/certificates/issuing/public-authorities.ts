// The directories of public CAs. These look names up in the public DNS, so they could never check a name of a region
// whose name server is on this machine: unless told to ask them (`up --public-acme`), the region's own CA issues in
// their place, and the configurations of the platform's users work as they are.
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
