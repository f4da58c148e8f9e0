// `demo`: an example shop with a load, in a running region.
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { contractOption, wholeNumber } from '../../command/option-values.ts';
import { print, printJson } from '../../command/terminal.ts';
import { self } from '../../config/command-line.ts';
import { askRegion } from '../admin/operations.ts';
import { dataHint } from './output-mode.ts';

export const demo: Command = {
  name: 'demo',
  about:
    'Fills the running region with an example shop: datacenters with servers, a load balancer, an auto scaling group, ' +
    'metrics, logs, a Kafka cluster, a bucket, a DNS zone and an alert rule. Its load continues, also after a restart ' +
    'of the region, until --stop or `reset`. --stop deletes what the demo created, and nothing else.',
  options: [
    { name: 'stop', help: 'end the load, and delete the shop' },
    { name: 'yes', help: 'create the shop in a contract that is not empty' },
    contractOption,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet demo', 'create the shop'],
    ['cumulet demo --stop', 'delete it'],
  ],
  async run(input) {
    const contract = wholeNumber(input, 'contract');
    const of = contract === undefined ? {} : { contract };
    if (input.has('stop')) {
      if (input.has('yes')) throw new Fault('refused', 'Pass either --stop or --yes, not both.');
      const { state } = await askRegion(input.data, 'demo/status', of);
      const stopped = await askRegion(input.data, 'demo/end', of, 0);
      if (input.has('json')) printJson(stopped);
      else if (state === 'OFF') print('No demo is running.');
      else print(`The demo is deleted.${stopped.message === undefined ? '' : ` ${stopped.message}`}`);
      return 0;
    }
    const begun = await askRegion(input.data, 'demo/begin', { ...of, evenIfNotEmpty: input.has('yes') }, 0);
    const { gateway } = await askRegion(input.data, 'status', {});
    if (input.has('json')) printJson(begun);
    else
      print(
        `The demo runs: ${begun.resources} resources. Open ${gateway}/console\n` +
          `Delete it with: ${self()} demo --stop${dataHint(input)}`,
      );
    return 0;
  },
};
