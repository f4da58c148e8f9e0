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

// Renewed when a third of its life is left.
export const renewalAfterMs = (lifetimeMs: number): number => (lifetimeMs * 2) / 3;
