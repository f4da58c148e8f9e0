// The second factor of accounts: set up with an authenticator app, required at each sign-in by password, replaceable by
// recovery codes, switched off by the user with a code or by an administrator. While an account has one, its users have
// `secAuthActive` set in all contracts.
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import type { Values } from '../../base/json.ts';
import type { Seal } from '../../base/seal.ts';
import type { Row, Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Account, userPlace } from '../accounts/accounts.ts';
import type { Credentials } from '../authentication/credentials.ts';
import { factorOf, insertFactor, type KeptFactor, removeFactor, updateFactor } from './factor-row.ts';
import { isRecoveryCode, newRecoveryCodes, recoveryHash } from './recovery-codes.ts';
import { isCode, stepOf } from './totp.ts';

export interface FactorTools {
  store: Store;
  clock: Clock;
  seal: Seal;
  credentials: Credentials;
  onWrongCode(account: Account, address: string): void;
}

export interface Enrolled {
  id: string;
  recoveryCodes: string[];
}

type With = (writes: readonly Write[]) => Write[]; // adds further writes to the write set

const wrongCode = (): Fault =>
  new Fault('unauthenticated', 'Unauthorized: the code is wrong, or was used already.', { code: 'wrong-code' });

export class SecondFactors {
  readonly #tools: FactorTools;

  constructor(tools: FactorTools) {
    this.#tools = tools;
  }

  // Checks a code of the app or a recovery code, which is then used up, and returns the id of the factor. `change`:
  // further writes of the same write set.
  async prove(
    account: Account,
    code: string,
    address: string,
    change: (factor: KeptFactor) => Promise<readonly Write[]> | readonly Write[] = () => [],
  ): Promise<string> {
    const { store, credentials, onWrongCode } = this.#tools;
    const proof = (): Promise<string> =>
      store.change(async () => {
        const factor = await factorOf(store, account.id);
        const used = factor && this.#use(factor, code);
        if (!used) throw wrongCode();
        const more = await change(factor);
        return { writes: more.length > 0 ? more : [updateFactor(factor, used)], value: factor.id };
      });
    try {
      return await credentials.byCode(account.id, address, proof);
    } catch (error) {
      if (error instanceof Fault && error.kind === 'unauthenticated') onWrongCode(account, address);
      throw error;
    }
  }

  // The part of the factor that the code uses up; undefined: the code is wrong.
  #use(factor: KeptFactor, code: string): { lastStep: number } | { recovery: string[] } | undefined {
    const { clock, seal } = this.#tools;
    const plain = code.replace(/\s/g, '');
    if (isCode(plain)) {
      const step = stepOf(seal.open(factor.secret), plain, clock.real());
      return step !== undefined && step > factor.lastStep ? { lastStep: step } : undefined;
    }
    const hashed = isRecoveryCode(plain) ? recoveryHash(plain) : '';
    const recovery = factor.recovery.filter((one) => one !== hashed);
    return recovery.length < factor.recovery.length ? { recovery } : undefined;
  }

  // Sets the factor up, if the code proves that the app has the secret. `more`: further writes of the same write set.
  async enrol(
    account: Account,
    secret: string,
    code: string,
    address: string,
    more: (id: string) => Promise<readonly Write[]> | readonly Write[],
  ): Promise<Enrolled> {
    const { store, clock, seal, credentials } = this.#tools;
    const lastStep = await credentials.byCode(account.id, address, async () => {
      const found = stepOf(secret, code.replace(/\s/g, ''), clock.real());
      if (found === undefined) throw wrongCode();
      return found;
    });
    const [id, recoveryCodes] = [uuid(), newRecoveryCodes()];
    const factor = { id, secret: seal.close(secret), lastStep, recovery: recoveryCodes.map(recoveryHash) };
    await store.change(async () => {
      if (await factorOf(store, account.id)) throw new Fault('conflict', 'This account has 2FA already.');
      const flags = await activeWrites(store, account, true);
      const writes = [insertFactor(account.id, factor, clock.now()), ...flags, ...(await more(id))];
      return { writes, value: undefined };
    });
    return { id, recoveryCodes };
  }

  // New recovery codes replace the remaining ones.
  async renewCodes(account: Account, code: string, address: string, more: With): Promise<string[]> {
    const codes = newRecoveryCodes();
    await this.prove(account, code, address, (factor) => {
      const used = this.#use(factor, code) ?? {};
      return more([updateFactor(factor, { ...used, recovery: codes.map(recoveryHash) })]);
    });
    return codes;
  }

  async switchOff(account: Account, code: string, address: string, more: With): Promise<void> {
    const { store } = this.#tools;
    if (await isForced(store, account))
      throw new Fault('refused', 'This account must use 2FA, because an administrator requires it.');
    await this.prove(account, code, address, async () => more(await removalWrites(store, account)));
  }
}

export async function isForced(store: Store, account: Account): Promise<boolean> {
  const rows = await usersOf(store, account);
  return rows.some((row) => (JSON.parse(row.body) as Values).forceSecAuth === true);
}

// Without a code: for administrators and the operator.
export async function removalWrites(store: Store, account: Account): Promise<Write[]> {
  return [removeFactor(account.id), ...(await activeWrites(store, account, false))];
}

async function activeWrites(store: Store, account: Account, secAuthActive: boolean): Promise<Write[]> {
  const rows = await usersOf(store, account);
  return rows.map((row) => {
    const body = JSON.stringify({ ...(JSON.parse(row.body) as Values), secAuthActive });
    return { op: 'update', table: 'resource', row: { ...row, body } };
  });
}

async function usersOf(store: Store, { id, contracts }: Account): Promise<Row[]> {
  const rows = await Promise.all(contracts.map((contract) => store.get(contract, userPlace, id)));
  return rows.filter((row) => row !== undefined);
}
