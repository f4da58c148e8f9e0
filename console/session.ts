// Who is signed in, and for which of their contracts they look at things. The choice is the tab's own.
import { ApiError, call, scope } from './api.ts';

export interface Session {
  signedIn: true;
  user: { id: string; email: string; firstname: string; lastname: string };
  role: 'owner' | 'admin' | 'user';
  contract: number;
  contracts: number[];
  tokenId: string | null; // of the token that they signed in with
  expiresDate: string;
  now: string; // the platform's own time, which the lab can move
}

export interface Facts {
  version: string;
  regions: string[];
  services: { name: string; title: string; description: string }[];
  lifetimes: { name: string; seconds: number }[];
  mostTokens: number;
}

export type Credentials = { email: string; password: string } | { token: string };

const path = '/console/session';
const keptUnder = 'contract';

export async function currentSession(): Promise<Session | undefined> {
  const kept = sessionStorage.getItem(keptUnder);
  scope.contract = kept === null ? undefined : Number(kept);
  try {
    return known(await call<Session | { signedIn: false }>('GET', path));
  } catch (error) {
    // The contract of the choice is theirs no longer, or this is somebody else.
    if (!(error instanceof ApiError && error.status === 403 && kept !== null)) throw error;
    chooseContract(undefined);
    return known(await call<Session | { signedIn: false }>('GET', path));
  }
}

export async function signIn(credentials: Credentials): Promise<Session> {
  chooseContract(undefined);
  const session = await call<Session>('POST', path, { body: credentials });
  scope.contract = session.contract;
  return session;
}

export async function signOut(): Promise<void> {
  await call('DELETE', path);
  chooseContract(undefined);
}

export function chooseContract(contract: number | undefined): void {
  scope.contract = contract;
  if (contract === undefined) sessionStorage.removeItem(keptUnder);
  else sessionStorage.setItem(keptUnder, String(contract));
}

export const regionFacts = (): Promise<Facts> => call<Facts>('GET', '/console/facts');

function known(answer: Session | { signedIn: false }): Session | undefined {
  if (!answer.signedIn) return undefined;
  scope.contract = answer.contract;
  return answer;
}
