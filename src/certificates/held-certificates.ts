// The certificates of contracts, for the listeners of other products that present them.

import { isUuid } from '../base/ids.ts';
import type { Seal } from '../base/seal.ts';
import { idClaim } from '../core/regional.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import type { HeldCertificates } from '../surface/ports.ts';
import { autoCertificate, autoHidden } from './resources/auto-certificate.ts';
import { certificate, certificateHidden } from './resources/certificate.ts';
import { presentedChain } from './x509/certificate-check.ts';

export function heldCertificatesOf(store: Store, seal: Seal): HeldCertificates {
  async function findAs(resource: { readonly name: string }, contract: number, id: string): Promise<Row | undefined> {
    const claimed = isUuid(id) ? await store.claimed(idClaim(resource, id)) : undefined;
    return claimed?.contract === contract ? store.at(contract, claimed.path) : undefined;
  }

  const find = (contract: number, id: string): Promise<Row | undefined> => findAs(certificate, contract, id);

  async function renewalOf(row: Row): Promise<Row | undefined> {
    const { autoCertificate: by } = certificateHidden(row);
    const auto = by === undefined ? undefined : await findAs(autoCertificate, row.contract, by);
    const latest = auto && autoHidden(auto).issued?.certificate;
    return latest === undefined ? undefined : find(row.contract, latest);
  }

  return {
    find,
    async pem(contract, id) {
      const named = await find(contract, id);
      const row = named && ((await renewalOf(named)) ?? named);
      if (!row) return undefined;
      const sent = JSON.parse(row.body) as { certificate: string; certificateChain: string };
      const { key } = certificateHidden(row);
      return { id: row.id, chain: presentedChain(sent.certificate, sent.certificateChain), key: seal.open(key) };
    },
  };
}
