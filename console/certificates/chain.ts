// The certificates of a chain, parsed by the region, and the validity of each.
import { call } from '../api.ts';

export interface ChainCertificate {
  commonName: string;
  subject: string;
  issuer: string;
  subjectAlternativeNames: string[];
  serialNumber: string;
  notBefore: string;
  notAfter: string;
  isAuthority: boolean;
  isSelfSigned: boolean;
  isSigned: boolean | null; // by the next certificate; null: there is none
  key: string;
  fingerprint: string;
}

export async function readChain(pem: string, signal?: AbortSignal): Promise<ChainCertificate[]> {
  const options = { body: { pem }, ...(signal && { signal }) };
  return (await call<{ certificates: ChainCertificate[] }>('POST', '/console/certificate-chain', options)).certificates;
}

export interface Validity {
  look: 'good' | 'waits' | 'fires';
  text: string;
  share: number; // elapsed part of the validity, 0 to 1
}

const dayMs = 86_400_000;
const soonDays = 30;
const whole = new Intl.NumberFormat('en');

// By the region's clock.
export function validityOf({ notBefore, notAfter }: { notBefore: string; notAfter: string }, nowMs: number): Validity {
  const [from, to] = [Date.parse(notBefore), Date.parse(notAfter)];
  const share = Math.min(1, Math.max(0, (nowMs - from) / Math.max(1, to - from)));
  const days = Math.floor((to - nowMs) / dayMs);
  const count = (some: number): string => (some === 1 ? '1 day' : `${whole.format(some)} days`);
  if (nowMs < from) return { look: 'waits', text: `Valid in ${count(Math.ceil((from - nowMs) / dayMs))}`, share };
  if (nowMs >= to) return { look: 'fires', text: `Expired ${count(Math.floor((nowMs - to) / dayMs))} ago`, share };
  if (days < 1) return { look: 'fires', text: 'Less than a day left', share };
  return { look: days < soonDays ? 'waits' : 'good', text: `${count(days)} left`, share };
}
