// The API on the tiny model.
import { startRegion } from '../harness/region.ts';
import { apiContract } from './contract.ts';

apiContract('the tiny model', async () => {
  const region = await startRegion({ args: ['--inference-rate', '10000'] });
  return { region, close: async () => void (await region.stop()) };
});
