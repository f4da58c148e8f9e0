// Requests to a CA, and the certificates that it issues.
import { Fault } from '../../base/fault.ts';
import { checkedCertificate } from '../x509/certificate-check.ts';

export interface Wanted {
  names: readonly string[]; // the common name first
  key: string; // PKCS#8 in PEM
}

export interface IssuedCertificate {
  certificate: string; // PEM
  certificateChain: string; // PEM, its issuer first
  lifetimeMs: number; // from now on
}

const minRenewalMs = 3_600_000;

// Renewed when a third of its life remains. Not at once if that time is over already, by a wrong clock or an odd
// server: each renewal creates another certificate.
export const renewalAfterMs = (lifetimeMs: number): number => Math.max(minRenewalMs, (lifetimeMs * 2) / 3);

// Why a certificate does not fit the request: it belongs to another key, lacks a name, or its chain is broken.
// Undefined: it fits.
export function unwanted(
  issued: Pick<IssuedCertificate, 'certificate' | 'certificateChain'>,
  { names, key }: Wanted,
): string | undefined {
  try {
    const { subjectAlternativeNames: has } = checkedCertificate({ ...issued, privateKey: key });
    const missing = names.find((name) => !has.includes(name));
    return missing === undefined ? undefined : `its certificate is not for ${missing}`;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `its certificate is not acceptable: ${error.message.replace(/^\[.*?\] /, '')}`;
  }
}
