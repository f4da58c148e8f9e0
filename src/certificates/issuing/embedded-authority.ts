// The region's own CA for certificates of contracts. It is not the gateway's CA, which is restricted to the platform's
// names and which clients trust by `env`. Users decide whether to trust this one; each certificate's chain includes it.
import { type CertificatePair, createAuthority, issueCertificate } from '../../base/certificate.ts';
import type { Clock } from '../../base/clock.ts';
import type { RegionSecrets } from '../../core/region-secrets.ts';
import { keysOf } from '../x509/key-algorithms.ts';
import type { IssuedCertificate, Wanted } from './issued-certificate.ts';

const dayMs = 86_400_000;
const authorityDays = 30 * 365;
const validDays = 90;

export class EmbeddedAuthority {
  readonly #secrets: RegionSecrets;
  readonly #clock: Clock;

  constructor(secrets: RegionSecrets, clock: Clock) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  // It is valid by the machine's time and by the lab's, so that clients accept its certificates after the clock was
  // moved.
  async issue({ names, key }: Wanted): Promise<IssuedCertificate> {
    const { now, real } = this.#clock;
    const authority = await this.#authority();
    const { certificate } = await issueCertificate(authority, {
      commonName: names[0] ?? '',
      hosts: names,
      days: validDays,
      now,
      from: real() - dayMs,
      keys: keysOf(key),
    });
    return { certificate, certificateChain: authority.certificate, lifetimeMs: validDays * dayMs };
  }

  async #authority(): Promise<CertificatePair> {
    const { real } = this.#clock;
    const request = { commonName: 'Cumulet certificates CA', days: authorityDays, now: real };
    const kept = await this.#secrets.kept('certificates', async () => JSON.stringify(await createAuthority(request)));
    return JSON.parse(kept) as CertificatePair;
  }
}
