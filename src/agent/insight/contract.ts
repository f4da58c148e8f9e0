// The contract that the caller's token is for.
import { Failure } from '../client/failure.ts';
import type { Sight } from '../tool.ts';
import { itemsOf, propertiesOf } from './inventory.ts';

export async function contractOf({ api }: Sight): Promise<number> {
  const [first] = itemsOf(await api.object('cloudapi', '/contracts'));
  const { contractNumber } = first ? propertiesOf(first) : {};
  if (typeof contractNumber !== 'number') throw new Failure('The contract of the token is not known: give its number.');
  return contractNumber;
}
