// `streaming install-kafka`: Apache Kafka's jars, for regions whose clusters run on it.
import { join, resolve } from 'node:path';
import { installKafka, kafkaVersion } from '../../streaming/engine/apache/install.ts';
import { type Command, dataOption } from '../command.ts';
import { print, self } from '../terminal.ts';

export const installKafkaCommand: Command = {
  name: 'streaming install-kafka',
  operands: '[FOLDER]',
  mostOperands: 1,
  about:
    `Fetches the jars of Apache Kafka ${kafkaVersion} with Maven (mvn, by its own settings) into FOLDER, or into kafka ` +
    'in the data folder: 46 MB. They need Java from version 17 on. A region that is started with ' +
    '--streaming kafka+jvm:FOLDER runs its clusters on them.',
  options: [dataOption],
  examples: [
    ['cumulet streaming install-kafka ~/kafka', 'fetch them once'],
    ['cumulet up --streaming kafka+jvm:$HOME/kafka', 'clusters of three real brokers'],
  ],
  async run(input) {
    const folder = resolve(input.operands[0] ?? join(input.data, 'kafka'));
    const jars = await installKafka(folder);
    print(`${jars} jars of Apache Kafka ${kafkaVersion} are in ${folder}`);
    print(`start a region on them: ${self()} up --streaming kafka+jvm:${folder}`);
    return 0;
  },
};
