// Certificates for tests: an authority, certificates of it, and calls of the service.

import assert from 'node:assert/strict';
import { type CertificatePair, createAuthority, issueCertificate } from '../../src/testing/black-box/certificates.ts';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import type { Answer, CallOptions, Region, ResourceBody } from '../harness/region.ts';

export const service = '/certificate-manager';
export const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory';

const now = (): number => Date.now();

export const authorityFor = (commonName: string): Promise<CertificatePair> =>
  createAuthority({ commonName, days: 30, now });

export const leafOf = (authority: CertificatePair, hosts: string[], days = 30): Promise<CertificatePair> =>
  issueCertificate(authority, { commonName: hosts[0] ?? '', hosts, days, now });

export const callerOn =
  (region: Region) =>
  (method: string, path: string, properties?: object, options?: CallOptions): Promise<Answer> =>
    region.call(method, `${service}${path}`, properties && { properties }, options);

export async function made(region: Region, path: string, properties: object): Promise<ResourceBody> {
  const { status, body } = await callerOn(region)('POST', path, properties);
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

export async function addZone(region: Region, zoneName: string): Promise<string> {
  const { status, body } = await region.call('POST', '/dns/zones', { properties: { zoneName } });
  assert.ok(status < 300, JSON.stringify(body));
  return body.id;
}

// Waits until it is issued or has failed.
export async function settled(region: Region, id: string): Promise<ResourceBody> {
  return untilCertificate(region, id, ({ metadata }) => metadata.state !== 'PROVISIONING');
}

export async function untilCertificate(
  region: Region,
  id: string,
  isSo: (shown: ResourceBody) => boolean,
): Promise<ResourceBody> {
  const read = async (): Promise<ResourceBody> => {
    const { status, body } = await region.call('GET', `${service}/auto-certificates/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return until(`the certificate ${id} changes`, read, isSo, { limitMs: limits.request });
}

export async function moveClock(region: Region, days: number): Promise<void> {
  const { status } = await region.call('PUT', '/lab/clock', { advanceMs: days * 86_400_000 });
  assert.equal(status, 200);
}
