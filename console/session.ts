// Who is signed in, and which of their contracts the calls are about. The choice of the contract belongs to the tab.
import { signal } from '@preact/signals';
import { ApiError, call, scope } from './api.ts';

export interface Session {
  signedIn: true;
  user: { id: string; email: string; firstname: string; lastname: string };
  role: 'owner' | 'admin' | 'user';
  privileges: string[]; // that groups give a user; owners and administrators need none
  contract: number;
  contracts: number[];
  tokenId: string | null; // of the token that they signed in with
  expiresDate: string;
  now: string; // the platform's own time, which the lab can move
}

export interface Facts {
  version: string;
  regions: string[];
  home: string; // the region where things are made that name none
  services: { name: string; title: string; description: string }[];
  lifetimes: { name: string; seconds: number }[];
  mostTokens: number;
  clock: { now: string; offsetMs: number }; // the lab moves it forward
}

// Whether calls that need this privilege are answered.
export const hasPrivilege = ({ role, privileges }: Session, name: string): boolean =>
  role !== 'user' || privileges.includes(name);

// With a challenge: the second step.
export type Credentials = { email: string; password: string } | { token: string } | { challenge: string; code: string };

// What is asked for after the password.
export type NextStep =
  | { kind: 'code'; challenge: string }
  | { kind: 'enrolment'; challenge: string; secret: string; uri: string };

export interface SignedIn {
  session: Session;
  recoveryCodes?: readonly string[]; // of an authenticator that was set up with the sign-in
}

// The session that is shown; undefined: the sign-in page, with a notice of why.
export const shownSession = signal<Session | undefined>(undefined);
export const notice = signal('');

const path = '/console/session';
const storageKey = 'contract';

export async function currentSession(): Promise<Session | undefined> {
  const kept = sessionStorage.getItem(storageKey);
  scope.contract = kept === null ? undefined : Number(kept);
  try {
    return known(await call<Session | { signedIn: false }>('GET', path));
  } catch (error) {
    // The chosen contract is not theirs any more, or this is another user.
    if (!(error instanceof ApiError && error.status === 403 && kept !== null)) throw error;
    chooseContract(undefined);
    return known(await call<Session | { signedIn: false }>('GET', path));
  }
}

export async function signIn(credentials: Credentials): Promise<SignedIn | NextStep> {
  chooseContract(undefined);
  type Answer = (Session & { recoveryCodes?: string[] }) | { signedIn: false; next: NextStep };
  const answer = await call<Answer>('POST', path, { body: credentials });
  if (!answer.signedIn) return answer.next;
  const { recoveryCodes, ...session } = answer;
  scope.contract = session.contract;
  return { session, ...(recoveryCodes && { recoveryCodes }) };
}

export async function signOut(): Promise<void> {
  await call('DELETE', path);
  chooseContract(undefined);
}

export function chooseContract(contract: number | undefined): void {
  scope.contract = contract;
  if (contract === undefined) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, String(contract));
}

export const regionFacts = (): Promise<Facts> => call<Facts>('GET', '/console/facts');

function known(answer: Session | { signedIn: false }): Session | undefined {
  if (!answer.signedIn) return undefined;
  scope.contract = answer.contract;
  return answer;
}
