// The session: the signed-in user and the contract that calls are sent for. Each tab has its own contract.
import { signal } from '@preact/signals';
import { ApiError, call, scope } from './api.ts';

export interface Session {
  signedIn: true;
  user: { id: string; email: string; firstname: string; lastname: string };
  role: 'owner' | 'admin' | 'user';
  privileges: string[]; // from the user's groups; owners and administrators need none
  contract: number;
  contracts: number[];
  tokenId: string | null; // set if the user signed in with a token
  expiresDate: string;
  now: string; // the platform's own time, which the lab can move
}

export interface Facts {
  version: string;
  regions: string[];
  home: string; // the region of resources that are created without a location
  services: { name: string; title: string; description: string }[];
  lifetimes: { name: string; seconds: number }[];
  mostTokens: number;
  machines: { engine: string; isReal: boolean; abilities: [what: string, value: string][] };
  clock: { now: string; offsetMs: number }; // the lab moves it forward
  ownerFile?: string; // contains the password of the first owner; only of a region on this machine
}

// Whether the user may make calls that need this privilege.
export const hasPrivilege = ({ role, privileges }: Session, name: string): boolean =>
  role !== 'user' || privileges.includes(name);

// A challenge is part of the second step.
export type Credentials = { email: string; password: string } | { token: string } | { challenge: string; code: string };

// The step after the password.
export type NextStep =
  | { kind: 'code'; challenge: string }
  | { kind: 'enrolment'; challenge: string; secret: string; uri: string };

export interface SignedIn {
  session: Session;
  recoveryCodes?: readonly string[]; // if the sign-in has set up an authenticator
}

// The current session. While it is undefined, the sign-in page is shown with the notice.
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
    // The user no longer belongs to the contract, or another user has signed in.
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
