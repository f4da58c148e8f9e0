// What a CA is asked for, and what it gives.
export interface Wanted {
  names: readonly string[]; // the common one first
  key: string; // PKCS#8 in PEM
}

export interface IssuedCertificate {
  certificate: string; // PEM
  certificateChain: string; // PEM, its issuer first
  lifetimeMs: number; // from now on
}

const leastRenewalMs = 3_600_000;

// Renewed when a third of its life is left. Not at once where that is over already, by a wrong clock or an odd server:
// each renewal is one more certificate.
export const renewalAfterMs = (lifetimeMs: number): number => Math.max(leastRenewalMs, (lifetimeMs * 2) / 3);
