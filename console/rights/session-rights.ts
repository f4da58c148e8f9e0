// The rights of the signed-in user, kept up to date by the stream of changes.
import { call } from '../api.ts';
import { watchChanges } from '../changes.ts';
import { type CheckedCall, type RefusedCall, Rights } from './rights.ts';

export const rights = new Rights(async (calls) => {
  const { refused } = await call<{ refused: (RefusedCall | null)[] }>('POST', '/console/rights', { body: { calls } });
  return refused;
});

// The stream reports changed rights as a change of everything, which needs no path.
watchChanges([], () => rights.refresh());

// Why the user may not make a call, or undefined.
export const refusalOf = (checked: CheckedCall): string | undefined => rights.reason(checked);
