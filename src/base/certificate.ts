// X.509 certificates, with EC P-256 keys unless others are given. The library that makes them takes 0.1 s to load, so
// it is only loaded when a certificate has to be made; node:crypto's X509Certificate is enough to read, match and
// verify one. Verifiers compare names as bytes, so the issuer of a leaf is copied from its authority's certificate, not
// written again.
import { createPrivateKey, generateKeyPairSync, type KeyObject, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type * as x509 from '@peculiar/x509';

// Both PEM; the key is PKCS#8.
export interface CertificatePair {
  certificate: string;
  key: string;
}

export interface AuthorityRequest {
  commonName: string;
  days: number;
  now: () => number; // real time: a certificate must not follow a clock that the lab moves
}

export interface LeafRequest extends AuthorityRequest {
  hosts: readonly string[]; // DNS names, wildcards and IP addresses
  client?: boolean;
  server?: boolean; // the default if neither is given
  keys?: KeyPair; // absent: new ones are made
  from?: number; // since when it holds; absent: since a day ago
}

export interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

// With `domains`, clients accept what it signs only for these, for names below them, and for IP addresses: whoever
// steals its key can't pass for anyone else.
export async function createAuthority(request: AuthorityRequest, domains: string[] = []): Promise<CertificatePair> {
  const { BasicConstraintsExtension, Extension, KeyUsageFlags, KeyUsagesExtension, Name } = await loadLibrary();
  const keys = newKeys();
  return create(request, keys, keys.privateKey, new Name(nameOf(request)), [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ...(domains.length > 0 ? [new Extension(nameConstraintsId, true, nameConstraints(domains))] : []),
  ]);
}

const nameConstraintsId = '2.5.29.30';

// RFC 5280, 4.2.1.10; the library has no class for it. A kind of name that is not among the permitted ones, such as IP
// addresses, is not constrained.
function nameConstraints(domains: string[]): Uint8Array<ArrayBuffer> {
  const subtrees = domains.map((domain) => der(0x30, der(0x82, Buffer.from(asciiName(domain)))));
  return new Uint8Array(der(0x30, der(0xa0, Buffer.concat(subtrees))));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

export async function issueCertificate(authority: CertificatePair, request: LeafRequest): Promise<CertificatePair> {
  const library = await loadLibrary();
  const { hosts, client = false, server = !client, keys = newKeys() } = request;
  const signer = createPrivateKey(authority.key);
  if (signer.asymmetricKeyType !== 'ec') throw new TypeError('the authority needs an EC key');
  const issuer = new library.X509Certificate(authority.certificate);
  const { serverAuth, clientAuth } = library.ExtendedKeyUsage;
  const purposes = [...(server ? [serverAuth] : []), ...(client ? [clientAuth] : [])];
  const issuerKeyId = issuer.getExtension(library.SubjectKeyIdentifierExtension)?.keyId;
  const extensions: x509.Extension[] = [
    new library.BasicConstraintsExtension(false, undefined, true),
    new library.KeyUsagesExtension(usagesOf(keys, library.KeyUsageFlags), true),
    issuerKeyId
      ? new library.AuthorityKeyIdentifierExtension(issuerKeyId)
      : await library.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ];
  if (purposes.length > 0) extensions.push(new library.ExtendedKeyUsageExtension(purposes));
  if (hosts.length > 0) extensions.push(new library.SubjectAlternativeNameExtension(hosts.map(alternativeName)));
  return create(request, keys, signer, issuer.subjectName, extensions);
}

// TLS clients may encrypt a secret for an RSA key.
const usagesOf = ({ publicKey }: KeyPair, flags: typeof x509.KeyUsageFlags): number =>
  flags.digitalSignature | (publicKey.asymmetricKeyType === 'rsa' ? flags.keyEncipherment : 0);

const dayMs = 86_400_000;

const newKeys = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

async function create(
  request: AuthorityRequest & Pick<LeafRequest, 'from'>,
  keys: KeyPair,
  signer: KeyObject,
  issuer: x509.Name,
  extensions: x509.Extension[],
): Promise<CertificatePair> {
  const { Name, SubjectKeyIdentifierExtension, X509CertificateGenerator } = await loadLibrary();
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' });
  const start = request.now();
  const certificate = await X509CertificateGenerator.create({
    subject: new Name(nameOf(request)),
    issuer,
    notBefore: new Date(request.from ?? start - dayMs), // the clock of the reader may run behind ours
    notAfter: new Date(start + request.days * dayMs),
    publicKey,
    signingKey: signingKey(signer),
    extensions: [...extensions, await SubjectKeyIdentifierExtension.create(publicKey)],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: pem(keys.privateKey) };
}

async function loadLibrary(): Promise<typeof x509> {
  await import('reflect-metadata'); // the library asks for it when it is loaded
  return import('@peculiar/x509');
}

const nameOf = ({ commonName }: AuthorityRequest): x509.JsonNameParams => [{ CN: [{ utf8String: commonName }] }];

const curves: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

function signingKey(key: KeyObject): webcrypto.CryptoKey {
  const namedCurve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (!namedCurve) throw new TypeError('the authority needs a key of a NIST curve');
  return key.toCryptoKey({ name: 'ECDSA', namedCurve }, false, ['sign']);
}

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

function alternativeName(host: string): { type: 'ip' | 'dns'; value: string } {
  if (host.includes('%')) throw new TypeError(`an address with a zone is no host: ${host}`);
  if (isIP(host)) return { type: 'ip', value: host };
  return { type: 'dns', value: asciiName(host) };
}

function asciiName(host: string): string {
  const ascii = domainToASCII(host);
  if (!ascii) throw new TypeError(`not a host name: ${host}`);
  return ascii;
}
