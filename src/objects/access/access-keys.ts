// Finds the access key that a signature names. The caller has the rights of the key's user in the contract of the key.
import type { Seal } from '../../base/seal.ts';
import type { Caller } from '../../core/access.ts';
import { RecentCache } from '../../core/recent-cache.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';

// A caller with the canonical id that /um/users returns for grants; its other names are the user's id and the contract.
export interface StorageCaller extends Caller {
  canonicalUserId?: string | undefined;
}

export interface AccessKey {
  secret: string;
  caller: StorageCaller;
}

export interface AccessKeyTools {
  store: Store;
  seal: Seal;
  asMember(user: string, contract: number): Promise<Caller>;
  canonicalUserId(user: string, contract: number): Promise<string | undefined>;
}

export const accessKeyClaim = (accessKeyId: string): string => `access-key ${accessKeyId}`;

export class AccessKeys {
  readonly #tools: AccessKeyTools;
  readonly #recent = new RecentCache<AccessKey>();

  constructor(tools: AccessKeyTools) {
    this.#tools = tools;
  }

  // Undefined: the key does not exist or is not active.
  async find(accessKeyId: string): Promise<AccessKey | undefined> {
    const { store, seal, asMember, canonicalUserId } = this.#tools;
    const epoch = store.identityEpoch;
    const known = this.#recent.get(accessKeyId, epoch);
    if (known) return known;
    const claimed = await store.claimed(accessKeyClaim(accessKeyId));
    const row = claimed && (await store.at(claimed.contract, claimed.path));
    const sealed = row && secretIn(row);
    if (!sealed) return undefined;
    const { owner, contract } = row;
    const caller = { ...(await asMember(owner, contract)), canonicalUserId: await canonicalUserId(owner, contract) };
    const key = { secret: seal.open(sealed), caller };
    this.#recent.keep(accessKeyId, epoch, key);
    return key;
  }
}

// Undefined if the key is inactive or is being removed.
function secretIn(row: Row): string | undefined {
  if (row.state === 'DELETING') return undefined;
  const { active = true } = JSON.parse(row.body) as { active?: boolean };
  const { secret } = JSON.parse(row.hidden || '{}') as { secret?: string };
  return active ? secret : undefined;
}
