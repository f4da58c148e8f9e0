// The contract that the caller's token is for.
import { isObject, type Values } from '../base/json.ts';
import { Failure } from './client/failure.ts';
import type { ToolContext } from './tool.ts';

export async function contractOf({ api }: ToolContext): Promise<number> {
  const { items } = await api.object('cloudapi', '/contracts');
  const first = Array.isArray(items) ? items[0] : undefined;
  const { contractNumber } = isObject(first) && isObject(first.properties) ? first.properties : {};
  if (typeof contractNumber !== 'number')
    throw new Failure('The contract of the token is unknown. Pass the contract number.');
  return contractNumber;
}

export const withContract = async (args: Values, context: ToolContext): Promise<Values> =>
  args.contract === undefined ? { ...args, contract: await contractOf(context) } : args;
