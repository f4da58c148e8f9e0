// A region whose models another server has: another region, and one that does everything wrong.
import { startRegion } from '../harness/region.ts';
import { apiContract } from './contract.ts';

apiContract('another region', async () => {
  const upstream = await startRegion({ args: ['--inference-rate', '10000'] });
  const url = new URL(upstream.url);
  const engine = `openai+http://${upstream.token}@${url.host}/inference/v1`;
  const region = await startRegion({ args: ['--inference-rate', '10000', '--inference', engine] });
  return {
    region,
    async close() {
      await region.stop();
      await upstream.stop();
    },
  };
});
