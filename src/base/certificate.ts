// X.509 certificates, with EC P-256 keys unless others are given. The library that makes them is only loaded when a
// certificate has to be made; node:crypto's X509Certificate is enough to read, match and verify one. Verifiers compare
// names as bytes, so the issuer of a leaf is copied from its authority's certificate, not written again.
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  type webcrypto,
  X509Certificate,
} from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';
import type * as pkijs from 'pkijs';
import { randomHex } from './ids.ts';

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

// With `domains`, clients accept its certificates only for these, for names below them, and for IP addresses, so that
// its key, if it is stolen, is useless for other hosts.
export async function createAuthority(request: AuthorityRequest, domains: string[] = []): Promise<CertificatePair> {
  const library = await load();
  const { BasicConstraints, NameConstraints, GeneralSubtree } = library.pkijs;
  const keys = newKeys();
  const subtrees = domains.map((domain) => new GeneralSubtree({ base: dnsName(library, domain) }));
  return create(library, request, keys, keys.privateKey, nameOf(library, request), [
    extension(library, oids.basicConstraints, new BasicConstraints({ cA: true }), true),
    keyUsage(library, usages.keyCertSign | usages.cRLSign),
    // RFC 5280, 4.2.1.10: a kind of name that is not among the permitted ones, such as an IP address, is free.
    ...(domains.length > 0
      ? [extension(library, oids.nameConstraints, new NameConstraints({ permittedSubtrees: subtrees }), true)]
      : []),
  ]);
}

export async function issueCertificate(authority: CertificatePair, request: LeafRequest): Promise<CertificatePair> {
  const library = await load();
  const { AuthorityKeyIdentifier, BasicConstraints, Certificate, ExtKeyUsage, GeneralNames } = library.pkijs;
  const { hosts, client = false, server = !client, keys = newKeys() } = request;
  const signer = createPrivateKey(authority.key);
  if (signer.asymmetricKeyType !== 'ec') throw new TypeError('the authority needs an EC key');
  const issuer = Certificate.fromBER(new Uint8Array(new X509Certificate(authority.certificate).raw));
  const keyIdentifier = issuerKeyId(library, issuer);
  const keyPurposes = [...(server ? [oids.serverAuth] : []), ...(client ? [oids.clientAuth] : [])];
  const names = hosts.map((host) => alternativeName(library, host));
  return create(library, request, keys, signer, issuer.subject, [
    extension(library, oids.basicConstraints, new BasicConstraints({ cA: false }), true),
    keyUsage(library, usagesOf(keys)),
    extension(library, oids.authorityKeyId, new AuthorityKeyIdentifier({ keyIdentifier })),
    ...(keyPurposes.length > 0 ? [extension(library, oids.extKeyUsage, new ExtKeyUsage({ keyPurposes }))] : []),
    ...(names.length > 0 ? [extension(library, oids.alternativeNames, new GeneralNames({ names }))] : []),
  ]);
}

// A request for a certificate of these hosts (PKCS#10) in DER. The common name is the first of them.
export async function createRequest(hosts: readonly string[], keys: KeyPair): Promise<Buffer> {
  const library = await load();
  const { Attribute, CertificationRequest, Extensions, GeneralNames, PublicKeyInfo } = library.pkijs;
  const names = new GeneralNames({ names: hosts.map((host) => alternativeName(library, host)) });
  const extensions = new Extensions({ extensions: [extension(library, oids.alternativeNames, names)] });
  const request = new CertificationRequest({
    version: 0,
    subject: nameOf(library, { commonName: hosts[0] ?? '' }),
    subjectPublicKeyInfo: PublicKeyInfo.fromBER(new Uint8Array(keys.publicKey.export({ type: 'spki', format: 'der' }))),
    attributes: [new Attribute({ type: oids.extensionRequest, values: [extensions.toSchema()] })],
  });
  await request.sign(signingKey(keys.privateKey), 'SHA-256');
  return Buffer.from(request.toSchema(true).toBER());
}

interface Library {
  pkijs: typeof pkijs;
  asn1js: typeof import('asn1js');
}

async function load(): Promise<Library> {
  const [library, asn1js] = await Promise.all([import('pkijs'), import('asn1js')]);
  return { pkijs: library, asn1js };
}

const oids = {
  commonName: '2.5.4.3',
  extensionRequest: '1.2.840.113549.1.9.14',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyId: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
};

// RFC 5280, 4.2.1.3: bits are counted from the highest one of the first byte.
const usages = { digitalSignature: 0x80, keyEncipherment: 0x20, keyCertSign: 0x04, cRLSign: 0x02 };

// TLS clients may encrypt a secret for an RSA key.
const usagesOf = ({ publicKey }: KeyPair): number =>
  usages.digitalSignature | (publicKey.asymmetricKeyType === 'rsa' ? usages.keyEncipherment : 0);

const dayMs = 86_400_000;

const newKeys = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

async function create(
  library: Library,
  request: AuthorityRequest & Pick<LeafRequest, 'from'>,
  keys: KeyPair,
  signer: KeyObject,
  issuer: pkijs.RelativeDistinguishedNames,
  extensions: pkijs.Extension[],
): Promise<CertificatePair> {
  const { Certificate, PublicKeyInfo } = library.pkijs;
  const { Integer, OctetString } = library.asn1js;
  const start = request.now();
  const publicKey = PublicKeyInfo.fromBER(new Uint8Array(keys.publicKey.export({ type: 'spki', format: 'der' })));
  const certificate = new Certificate({
    version: 2, // which is X.509 v3
    serialNumber: new Integer({ valueHex: serialNumber() }),
    subject: nameOf(library, request),
    issuer,
    notBefore: timeOf(library, request.from ?? start - dayMs), // the clock of the reader may run behind ours
    notAfter: timeOf(library, start + request.days * dayMs),
    subjectPublicKeyInfo: publicKey,
    extensions: [
      ...extensions,
      extension(library, oids.subjectKeyId, new OctetString({ valueHex: keyIdOf(publicKey) })),
    ],
  });
  await certificate.sign(signingKey(signer), 'SHA-256');
  const made = new X509Certificate(new Uint8Array(certificate.toSchema(true).toBER()));
  return { certificate: made.toString(), key: pem(keys.privateKey) };
}

// Positive, and of 16 bytes without a zero in front.
function serialNumber(): Uint8Array {
  const bytes = Buffer.from(randomHex(16), 'hex');
  bytes.writeUInt8((bytes.readUInt8() & 0x3f) | 0x40);
  return bytes;
}

// RFC 5280, 4.1.2.5: whole seconds, in two digits of the year until 2049.
function timeOf({ pkijs: { Time, TimeType } }: Library, ms: number): pkijs.Time {
  const value = new Date(ms - (ms % 1000));
  return new Time({ type: value.getUTCFullYear() < 2050 ? TimeType.UTCTime : TimeType.GeneralizedTime, value });
}

function nameOf({ pkijs: library, asn1js }: Library, { commonName }: Pick<AuthorityRequest, 'commonName'>) {
  const value = new asn1js.Utf8String({ value: commonName });
  const part = new library.AttributeTypeAndValue({ type: oids.commonName, value });
  return new library.RelativeDistinguishedNames({ typesAndValues: [part] });
}

interface Encodable {
  toBER(): ArrayBuffer;
}

function extension(
  { pkijs: { Extension } }: Library,
  extnID: string,
  value: Encodable | { toSchema(): Encodable },
  critical = false,
): pkijs.Extension {
  const encodable = 'toSchema' in value ? value.toSchema() : value;
  return new Extension({ extnID, critical, extnValue: encodable.toBER() });
}

function keyUsage(library: Library, bits: number): pkijs.Extension {
  const unusedBits = 31 - Math.clz32(bits & -bits);
  return extension(
    library,
    oids.keyUsage,
    new library.asn1js.BitString({ valueHex: Uint8Array.of(bits), unusedBits }),
    true,
  );
}

// RFC 5280, 4.2.1.2, method 1: the hash of the key's bits.
const keyIdOf = ({ subjectPublicKey }: pkijs.PublicKeyInfo): Uint8Array =>
  createHash('sha1').update(subjectPublicKey.valueBlock.valueHexView).digest();

function issuerKeyId({ asn1js: { OctetString, fromBER } }: Library, issuer: pkijs.Certificate) {
  const own = issuer.extensions?.find(({ extnID }) => extnID === oids.subjectKeyId);
  if (!own) return new OctetString({ valueHex: keyIdOf(issuer.subjectPublicKeyInfo) });
  return fromBER(own.extnValue.valueBlock.valueHexView).result as InstanceType<typeof OctetString>;
}

const curves: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

function signingKey(key: KeyObject): webcrypto.CryptoKey {
  if (key.asymmetricKeyType === 'rsa')
    return key.toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['sign']);
  const namedCurve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (!namedCurve) throw new TypeError('the signer needs an RSA key or one of a NIST curve');
  return key.toCryptoKey({ name: 'ECDSA', namedCurve }, false, ['sign']);
}

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

function alternativeName(library: Library, host: string): pkijs.GeneralName {
  if (host.includes('%')) throw new TypeError(`an address with a zone is not a host: ${host}`);
  if (!isIP(host)) return dnsName(library, host);
  const value = new library.asn1js.OctetString({ valueHex: addressBytes(host) });
  return new library.pkijs.GeneralName({ type: generalName.address, value });
}

const generalName = { dns: 2, address: 7 } as const;

function dnsName({ pkijs: { GeneralName } }: Library, host: string): pkijs.GeneralName {
  const value = domainToASCII(host);
  if (!value) throw new TypeError(`not a host name: ${host}`);
  return new GeneralName({ type: generalName.dns, value });
}

function addressBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number);
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1); // without an IPv4 address at its end
  const [front = [], back = []] = shortest.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = new Array<string>(8 - front.length - back.length).fill('0');
  const bytes = Buffer.alloc(16);
  for (const [at, group] of [...front, ...zeros, ...back].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), at * 2);
  return bytes;
}
