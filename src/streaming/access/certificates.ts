// The certificates of a cluster: its own certificate authority, one certificate for its brokers, and one for each user.
// Keys are EC P-256 in PKCS#8. Validity follows the machine's clock, which the lab does not move.
import { X509Certificate } from 'node:crypto';
import { type CertificatePair, createAuthority, issueCertificate } from '../../base/certificate.ts';
import { brokerName } from '../engine/engine.ts';

export interface ClusterCertificates {
  authority: CertificatePair;
  brokers: CertificatePair;
}

const authorityDays = 3650;
export const userDays = 365;
const dayMs = 86_400_000;
const renewalMs = 30 * dayMs; // before the end, a request for access gets a new certificate

// `hosts`: names and addresses by which clients reach the brokers. `given`: an existing authority to use.
export async function createCertificates(
  id: string,
  hosts: readonly string[],
  now: () => number,
  given?: CertificatePair,
): Promise<ClusterCertificates> {
  const authority = given ?? (await createAuthority({ commonName: `Cluster ${id}`, days: authorityDays, now }));
  const request = { commonName: brokerName, hosts: [...hosts], days: authorityDays, now, server: true, client: true };
  return { authority, brokers: await issueCertificate(authority, request) };
}

export const issueUserCertificate = (
  authority: CertificatePair,
  name: string,
  now: () => number,
): Promise<CertificatePair> =>
  issueCertificate(authority, { commonName: name, hosts: [], days: userDays, now, client: true });

export const needsRenewal = ({ certificate }: CertificatePair, now: number): boolean =>
  new X509Certificate(certificate).validToDate.getTime() - now < renewalMs;
