// The caller of an API page's calls: the console session, or a pasted token or key, which only this tab stores
// (sessionStorage).
import { signal } from '@preact/signals';
import { currentSession, type Session } from '../session.ts';
import { takeThemeOf } from '../theme.ts';

export type Takes = 'nothing' | 'token' | 'key';

const nameOf = (takes: Takes): string => `cumulet-${takes}`;

export const caller = {
  isKnown: signal(false), // whether there is a session
  session: signal<Session | undefined>(undefined),
  token: signal(sessionStorage.getItem(nameOf('token')) ?? ''),
  key: signal(sessionStorage.getItem(nameOf('key')) ?? ''),
};

export async function readCaller(): Promise<void> {
  caller.session.value = await currentSession().catch(() => undefined);
  caller.isKnown.value = true;
  if (caller.session.value) takeThemeOf(caller.session.value.user.id);
}

export function useSecret(takes: 'token' | 'key', text: string): void {
  const secret = text.trim().replace(/^Bearer\s+/i, '');
  caller[takes].value = secret;
  if (secret === '') sessionStorage.removeItem(nameOf(takes));
  else sessionStorage.setItem(nameOf(takes), secret);
}

// The headers that authenticate the caller. A session needs none, because the browser sends its cookie.
export function callerHeaders(takes: Takes): Record<string, string> {
  if (takes === 'key') return caller.key.value === '' ? {} : { APIKEY: caller.key.value };
  return caller.token.value === '' ? {} : { Authorization: `Bearer ${caller.token.value}` };
}

// The claims of a token. The region checks the token only with the first call.
export function claimsText(token: string): string {
  try {
    const [, claims = ''] = token.split('.');
    const { exp, identity } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as {
      exp: number;
      identity: { role: string; contractNumber: number };
    };
    const until = new Date(exp * 1000).toLocaleString();
    return `Calls use a token: ${identity.role} of contract ${identity.contractNumber}, valid until ${until}.`;
  } catch {
    return 'Calls use this token, which doesn’t look like a token of this region.';
  }
}
