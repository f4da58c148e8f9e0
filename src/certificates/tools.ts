// The shared dependencies of decisions about certificates.
import type { Seal } from '../base/seal.ts';
import type { ChallengeRecords } from '../surface/ports.ts';

export interface CertificateTools {
  seal: Seal;
  isEmbedded(server: string): boolean; // whether the region's own CA issues for providers with this ACME directory
  records(): ChallengeRecords | undefined; // from DNS; absent: the region has no DNS
}
