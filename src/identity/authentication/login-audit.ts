// Writes log-ins to the audit log: successful ones, and wrong passwords and codes of an existing account in each of
// its contracts. Failed attempts are throttled (credentials.ts), so they can't flood the log.
import type { Log } from '../../base/log.ts';
import type { Caller } from '../../core/access.ts';
import { appendEntry, type Entry } from '../../core/audit/audit-log.ts';
import type { Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Account } from '../accounts/accounts.ts';

export interface LoginAudit {
  onLogin(caller: Caller, address: string): void;
  onWrongPassword(account: Account, address: string): void;
  onWrongCode(account: Account, address: string): void;
}

export function createLoginAudit(store: Store, now: () => number, log: Log): LoginAudit {
  const note = (contracts: readonly number[], entry: Entry): void => {
    store
      .must(contracts.map((contract) => appendEntry(contract, entry, now())))
      .catch((error: unknown) => log.warn('log-in not recorded', { error }));
  };
  const refused = ({ contracts, email, id }: Account, address: string, message: string): void => {
    const error = { status: 401, messages: [{ errorCode: '401', message }] };
    note(contracts, { ...entryOf('Error', email, id, address), error });
  };
  return {
    onLogin: ({ contract, email, user }, address) => note([contract], entryOf('Login', email, user, address)),
    onWrongPassword: (account, address) => refused(account, address, 'The password was wrong.'),
    onWrongCode: (account, address) => refused(account, address, 'The code of the second factor was wrong.'),
  };
}

// 2FA that is set up during a sign-in, in each contract of the account.
export function enrolmentEntries({ contracts, email, id }: Account, address: string, now: number): Write[] {
  const resources = [{ id, type: 'user', action: ['sec.user.update'] }];
  const call = { method: 'POST', uri: '/console/session', operation: 'session_create' };
  const entry = { ...entryOf('Provision', email, id, address), ...call, resources };
  return contracts.map((contract) => appendEntry(contract, entry, now));
}

const entryOf = (type: string, email: string, user: string, address: string): Entry => ({
  type,
  user: email,
  userId: user,
  address,
  host: '',
  service: 'auth',
  method: 'GET',
  uri: '',
  operation: 'user_login',
  resources: [{ id: user, type: 'user', action: ['sec.user.login'] }],
});
