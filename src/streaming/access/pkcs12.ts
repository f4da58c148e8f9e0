// PKCS#12 files for clients that do not read PEM: a key with its certificates, or trusted certificates. The encryption
// is AES-256 with PBKDF2 and SHA-256, which Java 8u301, OpenSSL 1.1.1 and all later versions read. The library is
// loaded only when such a file is created.
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import type * as pkijs from 'pkijs';
import type { CertificatePair } from '../../base/certificate.ts';
import { randomHex } from '../../base/ids.ts';

const oids = {
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  friendlyName: '1.2.840.113549.1.9.20',
  localKeyId: '1.2.840.113549.1.9.21',
  trustedKeyUsage: '2.16.840.1.113894.746875.1.1', // of Java: a certificate is trusted only with it
  anyExtendedKeyUsage: '2.5.29.37.0',
};
const iterations = 10_000;

// `chain`: the authorities above the certificate, as PEM.
export async function keyStore(
  { certificate, key }: CertificatePair,
  chain: readonly string[],
  name: string,
  password: string,
): Promise<Buffer> {
  const library = await load();
  const { SafeBag, PrivateKeyInfo, PKCS8ShroudedKeyBag } = library.pkijs;
  const keyId = Buffer.from(randomHex(20), 'hex');
  const info = PrivateKeyInfo.fromBER(new Uint8Array(createPrivateKey(key).export({ type: 'pkcs8', format: 'der' })));
  const keyBag = new PKCS8ShroudedKeyBag({ parsedValue: info });
  await keyBag.makeInternalValues(encryption(password));
  const attributes = [named(library, name), keyIdOf(library, keyId)];
  const shrouded = new SafeBag({ bagId: oids.shroudedKeyBag, bagValue: keyBag, bagAttributes: attributes });
  const bags = [
    certificateBag(library, certificate, attributes),
    ...chain.map((one) => certificateBag(library, one, [])),
  ];
  return write(library, [shrouded], bags, password);
}

export async function trustStore(certificates: readonly string[], name: string, password: string): Promise<Buffer> {
  const library = await load();
  const attributes = [named(library, name), trusted(library)];
  const bags = certificates.map((one) => certificateBag(library, one, attributes));
  return write(library, [], bags, password);
}

interface Library {
  pkijs: typeof pkijs;
  asn1js: typeof import('asn1js');
}

async function load(): Promise<Library> {
  const [library, asn1js] = await Promise.all([import('pkijs'), import('asn1js')]);
  library.setEngine('node', new library.CryptoEngine({ name: 'node', crypto: webcrypto as never }) as never);
  return { pkijs: library, asn1js };
}

const encryption = (password: string) => ({
  password: bytesOf(password),
  contentEncryptionAlgorithm: { name: 'AES-CBC', length: 256 } as never,
  hmacHashAlgorithm: 'SHA-256',
  iterationCount: iterations,
});

const bytesOf = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer;

function certificateBag(
  { pkijs: { SafeBag, CertBag, Certificate } }: Library,
  pem: string,
  bagAttributes: pkijs.Attribute[],
): pkijs.SafeBag {
  const parsedValue = Certificate.fromBER(new Uint8Array(new X509Certificate(pem).raw));
  return new SafeBag({ bagId: oids.certificateBag, bagValue: new CertBag({ parsedValue }), bagAttributes });
}

const named = ({ pkijs: { Attribute }, asn1js: { BmpString } }: Library, value: string): pkijs.Attribute =>
  new Attribute({ type: oids.friendlyName, values: [new BmpString({ value })] });

const keyIdOf = ({ pkijs: { Attribute }, asn1js: { OctetString } }: Library, id: Buffer): pkijs.Attribute =>
  new Attribute({ type: oids.localKeyId, values: [new OctetString({ valueHex: new Uint8Array(id) })] });

const trusted = ({ pkijs: { Attribute }, asn1js: { ObjectIdentifier } }: Library): pkijs.Attribute =>
  new Attribute({ type: oids.trustedKeyUsage, values: [new ObjectIdentifier({ value: oids.anyExtendedKeyUsage })] });

// The keys are encrypted one by one, the certificates together.
async function write(
  { pkijs: { PFX, AuthenticatedSafe, SafeContents } }: Library,
  keys: pkijs.SafeBag[],
  certificates: pkijs.SafeBag[],
  password: string,
): Promise<Buffer> {
  const plain = { privacyMode: 0, value: new SafeContents({ safeBags: keys }) };
  const sealed = { privacyMode: 1, value: new SafeContents({ safeBags: certificates }) };
  const safe = new AuthenticatedSafe({
    parsedValue: { safeContents: keys.length > 0 ? [plain, sealed] : [sealed] },
  });
  await safe.makeInternalValues({ safeContents: [...(keys.length > 0 ? [{}] : []), encryption(password)] });
  const file = new PFX({ parsedValue: { integrityMode: 0, authenticatedSafe: safe } });
  await file.makeInternalValues({
    password: bytesOf(password),
    iterations,
    pbkdf2HashAlgorithm: { name: 'SHA-256' } as never,
    hmacHashAlgorithm: 'SHA-256',
  });
  return Buffer.from(file.toSchema().toBER(false));
}
