// The command `streaming install-kafka` downloads Apache Kafka's jars for regions whose clusters run on it.
import { join, resolve } from 'node:path';
import { type Command, dataOption } from '../../../command/command.ts';
import { print } from '../../../command/terminal.ts';
import { self } from '../../../config/command-line.ts';
import { installKafka, kafkaVersion } from './install.ts';

export const installKafkaCommand: Command = {
  name: 'streaming install-kafka',
  operands: '[FOLDER]',
  mostOperands: 1,
  about:
    `Downloads the jars of Apache Kafka ${kafkaVersion} with Maven (mvn, using its settings) into FOLDER, or into ` +
    'kafka in the data folder: 46 MB. They need Java 17 or later. A region that is started with ' +
    '--streaming kafka+jvm:FOLDER runs its clusters on them.',
  options: [dataOption],
  examples: [
    ['cumulet streaming install-kafka ~/kafka', 'download them once'],
    ['cumulet up --streaming kafka+jvm:$HOME/kafka', 'clusters of three real brokers'],
  ],
  async run(input) {
    const folder = resolve(input.operands[0] ?? join(input.data, 'kafka'));
    const jars = await installKafka(folder);
    print(`${jars} jars of Apache Kafka ${kafkaVersion} are in ${folder}`);
    print(`start a region with them: ${self()} up --streaming kafka+jvm:${folder}`);
    return 0;
  },
};
