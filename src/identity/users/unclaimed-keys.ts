// S3 keys of versions without an object storage: they lack the claim by which the key of a signature is found.
// The claim is added when a region starts, also after the restore of a backup of such a version.
import type { Values } from '../../base/json.ts';
import { hiddenText } from '../../core/operation/operation.ts';
import { claimRow, reservationsOf } from '../../core/operation/reservations.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { listContracts } from '../accounts/accounts.ts';
import { s3key, s3keyClaim } from './s3key.ts';

export async function claimOldKeys(store: Store): Promise<void> {
  for (const { number: contract } of await listContracts(store))
    for await (const row of store.each({ contract, below: 'um/users/' })) if (isUnclaimed(row)) await claim(store, row);
}

const isUnclaimed = (row: Row): boolean =>
  row.kind === s3key.name && row.state !== 'DELETING' && !reservationsOf(row).claims.includes(s3keyClaim(row.id));

// Another node may do the same at the same time.
const claim = (store: Store, { contract, place, id }: Row): Promise<void> =>
  store.change(async () => {
    const row = await store.get(contract, place, id);
    if (!row || !isUnclaimed(row)) return { writes: [], value: undefined };
    const held = reservationsOf(row);
    const name = s3keyClaim(id);
    const hidden = hiddenText(JSON.parse(row.hidden) as Values, { ...held, claims: [...held.claims, name] });
    return {
      writes: [
        { op: 'update', table: 'resource', row: { ...row, hidden } },
        { op: 'insert', table: 'claim', row: claimRow(name, contract, pathOf(row)) },
      ],
      value: undefined,
    };
  });
