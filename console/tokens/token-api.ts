// The token service as the Token Manager uses it. Any client can make these calls.
import { call } from '../api.ts';

export interface Token {
  id: string;
  createdDate: string;
  expirationDate: string;
}

const path = '/auth/v1/tokens';

// Newest first.
export async function listTokens(signal: AbortSignal): Promise<Token[]> {
  const { tokens } = await call<{ tokens: Token[] }>('GET', path, { signal });
  return tokens.toSorted((a, b) => b.createdDate.localeCompare(a.createdDate) || b.id.localeCompare(a.id));
}

export async function generateToken(ttlS: number): Promise<string> {
  return (await call<{ token: string }>('GET', `${path}/generate?ttl=${ttlS}`)).token;
}

export async function deleteToken(id: string): Promise<void> {
  await call('DELETE', `${path}/${id}`);
}

export async function deleteTokens(criteria: 'EXPIRED' | 'ALL'): Promise<void> {
  await call('DELETE', `${path}?criteria=${criteria}`);
}
