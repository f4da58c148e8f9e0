// The public part of a certificate whose private key can't be read, and a certificate that replaces it: of the same
// names and dates, with a new key, issued by an authority whose name marks it as a placeholder.
import { X509Certificate } from 'node:crypto';
import { createAuthority, issueCertificate } from '../base/certificate.ts';
import { iso, machineTime } from '../base/clock.ts';
import type { Values } from '../base/json.ts';

const placeholderIssuer = 'Cumulet placeholder';
const dayMs = 86_400_000;
const usualDays = 90;
const roundingMs = 500; // dates of certificates are whole seconds

export async function placeholderCertificate(name: string, pem: unknown): Promise<Record<string, string>> {
  const original = certificateOf(pem);
  const from = original?.validFromDate.getTime() ?? machineTime();
  const until = original?.validToDate.getTime() ?? from + usualDays * dayMs;
  const dates = { days: (until - from + roundingMs) / dayMs, now: () => from, from };
  const hosts = original ? hostsOf(original) : [];
  const commonName = original ? commonNameOf(original) : '';
  const authority = await createAuthority({ ...dates, commonName: placeholderIssuer });
  const leaf = await issueCertificate(authority, { ...dates, commonName: commonName || hosts[0] || name, hosts });
  return { certificate: leaf.certificate, certificateChain: authority.certificate, privateKey: leaf.key };
}

// The values of a certificate that a comparison uses. Undefined: the text can't be read.
export function certificateFacts(pem: unknown): { facts: Values; isPlaceholder: boolean } | undefined {
  const found = certificateOf(pem);
  if (!found) return undefined;
  const { validFromDate, validToDate, serialNumber, issuer } = found;
  const facts = {
    commonName: commonNameOf(found) || (hostsOf(found)[0] ?? ''),
    subjectAlternativeNames: hostsOf(found).sort(),
    notBefore: iso(validFromDate.getTime()),
    notAfter: iso(validToDate.getTime()),
    serialNumber,
  };
  return { facts, isPlaceholder: issuer === `CN=${placeholderIssuer}` };
}

function certificateOf(pem: unknown): X509Certificate | undefined {
  try {
    return new X509Certificate(String(pem));
  } catch {
    return undefined;
  }
}

function commonNameOf(certificate: X509Certificate): string {
  const { CN } = certificate.toLegacyObject().subject;
  return String((Array.isArray(CN) ? CN[0] : CN) ?? '');
}

// Names of other kinds are rare in certificates of servers.
const hostsOf = ({ subjectAltName = '' }: X509Certificate): string[] =>
  Array.from(subjectAltName.matchAll(/(?:^|, )(?:DNS|IP Address):([^",]+)/g), ([, host = '']) => host);
