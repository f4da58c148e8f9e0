// Validates an upload: one certificate, the certificates of its issuers in their order, and the matching private key.
// Messages about a refused key never contain a part of it.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';

// The properties of a certificate that the API shows.
export type CertificateFacts = {
  commonName: string;
  subjectAlternativeNames: string[];
  serialNumber: string; // hexadecimal
  notBefore: string;
  notAfter: string;
};

export interface SentCertificate {
  certificate: string;
  certificateChain: string;
  privateKey: string;
}

const maxInChain = 10;
const minRsaBits = 2048;

export function checkedCertificate(sent: SentCertificate): CertificateFacts {
  const leaf = certificateOf(sent.certificate);
  checkChain(leaf, sent.certificateChain);
  checkKey(leaf, sent.privateKey);
  return factsOf(leaf);
}

// For TLS: the certificate, then its issuers. Some uploaded chains begin with the certificate itself.
export function presentedChain(certificate: string, certificateChain: string): string {
  const all = [certificate, certificateChain].flatMap((text) => blocksOf('certificate', text).map(String));
  return [...new Set(all)].join('');
}

export function factsOf(leaf: X509Certificate): CertificateFacts {
  const { CN } = leaf.toLegacyObject().subject;
  return {
    commonName: String((Array.isArray(CN) ? CN[0] : CN) ?? ''),
    subjectAlternativeNames: alternativeNames(leaf.subjectAltName ?? ''),
    serialNumber: leaf.serialNumber,
    notBefore: iso(leaf.validFromDate.getTime()),
    notAfter: iso(leaf.validToDate.getTime()),
  };
}

// `DNS:example.com, IP Address:192.0.2.1, DNS:"odd, name"`: only the values.
function alternativeNames(text: string): string[] {
  const parts = text.matchAll(/(?:^|, )[A-Za-z ]+:("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return Array.from(parts, ([, value = '']) => (value.startsWith('"') ? String(JSON.parse(value)) : value));
}

const marker = /-----(BEGIN|END) ([A-Z0-9 ]+)-----/g;

interface PemBlock {
  label: string;
  text: string;
}

// The PEM blocks of a text, and the text around them. In one pass: a search for the end of each block would take hours
// for many blocks without an end.
function pemBlocks(text: string): { blocks: PemBlock[]; around: string } {
  const blocks: PemBlock[] = [];
  let around = '';
  let from = 0; // behind the last block
  let open: { label: string; at: number } | undefined;
  for (const { 0: line, 1: kind, 2: label = '', index } of text.matchAll(marker)) {
    if (kind === 'BEGIN') open ??= { label, at: index };
    else if (open?.label === label) {
      const end = index + line.length;
      blocks.push({ label, text: text.slice(open.at, end) });
      around += text.slice(from, open.at);
      from = end;
      open = undefined;
    }
  }
  return { blocks, around: around + text.slice(from) };
}

// The certificates in a text. The text is shown again, so it must contain nothing else: keys are pasted by mistake.
function blocksOf(property: string, text: string): X509Certificate[] {
  const { blocks, around } = pemBlocks(text);
  if (/-----(BEGIN|END)/.test(around)) throw wrong(property, 'It has a PEM block without an end');
  const other = blocks.find(({ label }) => label !== 'CERTIFICATE')?.label;
  if (other !== undefined)
    throw wrong(property, `Expected certificates only, found ${/KEY/.test(other) ? 'a key' : `'${other}'`}`);
  return blocks.map((block, at) => {
    try {
      return new X509Certificate(block.text);
    } catch {
      throw wrong(property, `Certificate ${at + 1} is not valid`);
    }
  });
}

function certificateOf(text: string): X509Certificate {
  const [leaf, ...more] = blocksOf('certificate', text);
  if (!leaf) throw wrong('certificate', 'Expected a certificate in PEM: -----BEGIN CERTIFICATE-----');
  if (more.length > 0) throw wrong('certificate', 'Expected one certificate: its issuers belong into certificateChain');
  return leaf;
}

// Each certificate is signed by the next one. Some clients send the certificate itself first, like files with a whole
// chain, and a self-signed one has no other issuer.
function checkChain(leaf: X509Certificate, text: string): void {
  const sent = blocksOf('certificateChain', text);
  if (sent.length === 0 && text.trim() !== '')
    throw wrong('certificateChain', 'Expected certificates in PEM: -----BEGIN CERTIFICATE-----');
  if (sent.length > maxInChain) throw wrong('certificateChain', `Expected at most ${maxInChain} certificates`);
  const issuers = sent[0]?.fingerprint256 === leaf.fingerprint256 ? sent.slice(1) : sent;
  const skipped = sent.length - issuers.length;
  let below = leaf;
  for (const [at, issuer] of issuers.entries()) {
    if (!isIssuedBy(below, issuer))
      throw wrong(
        'certificateChain',
        at === 0
          ? `Certificate ${skipped + 1} has not issued the certificate: its issuer comes first`
          : `Certificate ${skipped + at + 1} has not issued certificate ${skipped + at}`,
      );
    below = issuer;
  }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false; // a key that can't have created this signature
  }
}

function checkKey(leaf: X509Certificate, text: string): void {
  const key = keyOf(text);
  const { modulusLength = minRsaBits } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < minRsaBits) throw wrong('privateKey', `RSA keys have at least ${minRsaBits} bits`);
  if (!leaf.checkPrivateKey(key)) throw wrong('privateKey', 'The key does not belong to the certificate');
}

function keyOf(text: string): KeyObject {
  if (/ENCRYPTED/.test(text)) throw wrong('privateKey', 'Expected a key without a password');
  try {
    return createPrivateKey(text);
  } catch {
    throw wrong('privateKey', 'Expected a private key in PEM: -----BEGIN PRIVATE KEY-----');
  }
}

const wrong = (property: string, message: string): Fault =>
  new Fault('refused', `[(root).properties.${property}] ${message}`, { code: '100' });
