// The certificates of contracts, for listeners that present them.
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
  const find = async (contract: number, id: string): Promise<Row | undefined> =>
    owned(await rowWith(store, certificate, id), contract);

  async function latestOf(contract: number, autoId: string): Promise<Row | undefined> {
    const auto = owned(await rowWith(store, autoCertificate, autoId), contract);
    const latest = auto && autoHidden(auto).issued?.certificate;
    return latest === undefined ? undefined : find(contract, latest);
  }

  return {
    find,
    async pem(contract, id) {
      const named = await find(contract, id);
      const row = (await latestOf(contract, named ? (certificateHidden(named).autoCertificate ?? '') : id)) ?? named;
      if (!row) return undefined;
      const sent = JSON.parse(row.body) as { certificate: string; certificateChain: string };
      const { key } = certificateHidden(row);
      return { id: row.id, chain: presentedChain(sent.certificate, sent.certificateChain), key: seal.open(key) };
    },
    follow: (listener) => store.watch('certificates', listener),
  };
}

// The certificate or auto-certificate with this id, of any contract.
export const namedRow = async (store: Store, id: string): Promise<Row | undefined> =>
  (await rowWith(store, certificate, id)) ?? rowWith(store, autoCertificate, id);

async function rowWith(store: Store, resource: { readonly name: string }, id: string): Promise<Row | undefined> {
  const claimed = isUuid(id) ? await store.claimed(idClaim(resource, id)) : undefined;
  return claimed && store.at(claimed.contract, claimed.path);
}

const owned = (row: Row | undefined, contract: number): Row | undefined =>
  row?.contract === contract ? row : undefined;
