// X.509 certificates with EC P-256 keys, by node:crypto alone. The issuer of a leaf is copied byte for byte from
// the authority's own certificate: verifiers compare names as bytes.
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import * as der from './der.ts';

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
  hosts: string[]; // DNS names, wildcards and IP addresses
  client?: boolean;
  server?: boolean; // the default where neither is said
}

export function createAuthority(request: AuthorityRequest): CertificatePair {
  const keys = newKeys();
  const subject = nameOf(request.commonName);
  return {
    certificate: signed(keys.privateKey, subject, subject, keys.publicKey, request, [
      extension(oids.basicConstraints, der.sequence(der.truth(true)), true),
      extension(oids.keyUsage, der.flags(usage.keyCertSign, usage.crlSign), true),
      extension(oids.subjectKeyId, der.octets(keyIdOf(keys.publicKey))),
    ]),
    key: pem(keys.privateKey),
  };
}

export function issueCertificate(authority: CertificatePair, request: LeafRequest): CertificatePair {
  const issuer = issuerOf(authority.certificate);
  const signer = createPrivateKey(authority.key);
  if (signer.asymmetricKeyType !== 'ec') throw new TypeError('the authority needs an EC key');
  const keys = newKeys();
  const purposes = [
    ...((request.server ?? !request.client) ? [der.oid(oids.serverAuth)] : []),
    ...(request.client ? [der.oid(oids.clientAuth)] : []),
  ];
  const extensions = [
    extension(oids.basicConstraints, der.sequence(), true),
    extension(oids.keyUsage, der.flags(usage.digitalSignature), true),
    extension(oids.subjectKeyId, der.octets(keyIdOf(keys.publicKey))),
    extension(oids.authorityKeyId, der.sequence(der.taggedPlain(0, issuer.keyId))),
  ];
  if (purposes.length > 0) extensions.push(extension(oids.extendedKeyUsage, der.sequence(...purposes)));
  if (request.hosts.length > 0) {
    extensions.push(extension(oids.subjectAltName, der.sequence(...request.hosts.map(altName))));
  }
  return {
    certificate: signed(signer, issuer.name, nameOf(request.commonName), keys.publicKey, request, extensions),
    key: pem(keys.privateKey),
  };
}

const oids = {
  commonName: '2.5.4.3',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
};

const usage = { digitalSignature: 0, keyCertSign: 5, crlSign: 6 };

const dayMs = 86_400_000;

function signed(
  signer: KeyObject,
  issuer: Buffer,
  subject: Buffer,
  publicKey: KeyObject,
  { days, now }: AuthorityRequest,
  extensions: Buffer[],
): string {
  const algorithm = der.sequence(der.oid(oids.ecdsaWithSha256));
  const start = now();
  const body = der.sequence(
    der.tagged(0, der.integer(Uint8Array.of(2))), // version 3
    der.integer(randomBytes(16)),
    algorithm,
    issuer,
    // A day back: the reader's clock may run behind ours.
    der.sequence(der.time(start - dayMs), der.time(start + days * dayMs)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.tagged(3, der.sequence(...extensions)),
  );
  return new X509Certificate(der.sequence(body, algorithm, der.bits(sign('sha256', body, signer)))).toString();
}

function issuerOf(certificate: string): { name: Buffer; keyId: Buffer } {
  const { raw, publicKey } = new X509Certificate(certificate);
  const [body] = inside(raw);
  const fields = inside(body?.raw);
  const name = fields[5]?.raw; // after version, serial, algorithm, issuer and validity
  if (fields[0]?.tag !== 0xa0 || !name) throw new TypeError('the authority is not an X.509 v3 certificate');
  const wanted = der.oid(oids.subjectKeyId);
  const extensions = inside(inside(fields.find((field) => field.tag === 0xa3)?.raw)[0]?.raw);
  const found = extensions.map((each) => inside(each.raw)).find(([id]) => id?.raw.equals(wanted));
  // The last part of an extension is an octet string that holds the value, here an octet string again.
  const keyId = inside(found?.at(-1)?.raw)[0]?.content;
  return { name, keyId: keyId ?? keyIdOf(publicKey) };
}

const inside = (raw: Buffer | undefined): der.Element[] => {
  const content = raw && der.decode(raw)[0]?.content;
  return content ? der.decode(content) : [];
};

// SHA-1 of the key's bits is what everybody uses for a key id; it only has to be unique, nothing is proven by it.
function keyIdOf(publicKey: KeyObject): Buffer {
  const key = inside(publicKey.export({ type: 'spki', format: 'der' }))[1];
  if (!key) throw new TypeError('not a public key');
  return createHash('sha1').update(key.content.subarray(1)).digest();
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const nameOf = (commonName: string): Buffer =>
  der.sequence(der.set(der.sequence(der.oid(oids.commonName), der.utf8(commonName))));

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  der.sequence(der.oid(id), ...(critical ? [der.truth(true)] : []), der.octets(value));

function altName(host: string): Buffer {
  if (isIP(host)) return der.taggedPlain(7, addressBytes(host));
  const ascii = domainToASCII(host);
  if (!ascii) throw new TypeError(`not a host name: ${host}`);
  return der.taggedPlain(2, Buffer.from(ascii, 'latin1'));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  if (address.includes('%')) throw new TypeError(`an address with a zone is no host: ${address}`);
  // URL writes every spelling of an address in one: hexadecimal groups, at most one "::".
  const [left = [], right] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((side) => (side ? side.split(':') : []));
  const gap = right ? 8 - left.length - right.length : 0;
  const groups = [...left, ...Array<string>(gap).fill('0'), ...(right ?? [])];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
