// The first start creates a contract with its owner. The file with the password is written before the contract, so that
// a crash between the two can't lose the password.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withChecksum } from '../../base/checked-json.ts';
import { randomText } from '../../base/ids.ts';
import type { Store } from '../../core/store.ts';
import { addContract, listContracts } from './accounts.ts';

export interface FirstOwner {
  email: string;
  password: string;
}

export interface FirstContract {
  contract: number;
  email: string;
  password: string | undefined; // absent: one is generated
  folder: string; // where owner.json goes
}

// Undefined: the region has a contract already.
export async function firstOwner(store: Store, first: FirstContract, now: number): Promise<FirstOwner | undefined> {
  if ((await listContracts(store)).length > 0) return undefined;
  const { email, contract } = first;
  const password = first.password ?? randomText(12);
  const content = first.password === undefined ? { email, password, contract } : { email, contract };
  const file = join(first.folder, 'owner.json');
  writeFileSync(file, `${JSON.stringify(withChecksum(content), null, 2)}\n`, { mode: 0o600, flush: true });
  try {
    await addContract(store, contract, { email, password, role: 'owner' }, {}, now);
  } catch (error) {
    // Another node was faster: its password is the valid one.
    if (store.engine.exclusive || (await listContracts(store)).length === 0) throw error;
    rmSync(file, { force: true });
    return undefined;
  }
  return { email, password };
}
