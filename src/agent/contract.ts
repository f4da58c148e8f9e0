// The contract that the caller's token is for.
import { isObject, type Values } from '../base/json.ts';
import { Failure } from './client/failure.ts';
import type { Sight } from './tool.ts';

export async function contractOf({ api }: Sight): Promise<number> {
  const { items } = await api.object('cloudapi', '/contracts');
  const first = Array.isArray(items) ? items[0] : undefined;
  const { contractNumber } = isObject(first) && isObject(first.properties) ? first.properties : {};
  if (typeof contractNumber !== 'number') throw new Failure('The contract of the token is not known: give its number.');
  return contractNumber;
}

export const withContract = async (args: Values, sight: Sight): Promise<Values> =>
  args.contract === undefined ? { ...args, contract: await contractOf(sight) } : args;
