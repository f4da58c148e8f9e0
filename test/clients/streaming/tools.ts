// Apache Kafka's console tools: the commands, and their expected output.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../run.ts';
import type { Place } from './journey.ts';
import { javaCommand } from './programs.ts';

interface Step {
  tool: string;
  words: string[];
  input?: string;
  prints: RegExp;
}

export async function consoleToolsWork(place: Place, folder: string): Promise<void> {
  const properties = join(folder, 'client.properties');
  writeFileSync(properties, propertiesOf(place));
  const steps = stepsOf(place, properties);
  const given = JSON.stringify(steps.map(({ prints: _, ...step }) => step));
  const { stdout } = await mustRun([...(await javaCommand('Tools')), given], { limitMs: place.limitMs });
  const outcomes = JSON.parse(stdout) as { code: number; output: string }[];
  for (const [at, { tool, words, prints }] of steps.entries()) {
    const { code, output } = outcomes[at] ?? { code: -1, output: '' };
    assert.equal(code, 0, `${tool} ${words.join(' ')}\n${output}`);
    assert.match(output, prints, `${tool} ${words.join(' ')}`);
  }
}

export const propertiesOf = ({ ca, keystore }: Place): string =>
  [
    'security.protocol=SSL',
    'ssl.truststore.type=PEM',
    `ssl.truststore.location=${ca}`,
    'ssl.keystore.type=PEM',
    `ssl.keystore.location=${keystore}`,
    'ssl.endpoint.identification.algorithm=',
    '',
  ].join('\n');

function stepsOf({ bootstrap, name }: Place, properties: string): Step[] {
  const topic = `${name}-tools`;
  const admin = ['--bootstrap-server', bootstrap, '--command-config', properties];
  const onTopic = [...admin, '--topic', topic];
  const topics = (words: string[], prints: RegExp): Step => ({
    tool: 'org.apache.kafka.tools.TopicCommand',
    words: [...onTopic, ...words],
    prints,
  });
  const entity = [...admin, '--entity-type', 'topics', '--entity-name', topic];
  const groups = (words: string[], prints: RegExp): Step => ({
    tool: 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand',
    words: [...admin, ...words],
    prints,
  });
  const produced = ['--bootstrap-server', bootstrap, '--producer.config', properties, '--topic', topic];
  const consumed = ['--bootstrap-server', bootstrap, '--consumer.config', properties, '--topic', topic];
  return [
    topics(['--create', '--partitions', '3', '--replication-factor', '3'], /Created topic/),
    topics(['--describe'], /PartitionCount: 3\s+ReplicationFactor: 3.*Isr: \d,\d,\d/s),
    {
      tool: 'org.apache.kafka.tools.ConsoleProducer',
      words: [...produced, '--property', 'parse.key=true', '--property', 'key.separator=:'],
      input: 'a:one\nb:two\nc:three\n',
      prints: /^/,
    },
    {
      tool: 'org.apache.kafka.tools.consumer.ConsoleConsumer',
      words: [...consumed, '--group', topic, '--from-beginning', '--max-messages', '3', '--timeout-ms', '30000'],
      prints: /one/,
    },
    groups(['--list'], new RegExp(topic)),
    groups(['--describe', '--group', topic], new RegExp(`${topic}\\s+${topic}\\s+\\d\\s+\\d`)),
    groups(['--reset-offsets', '--to-earliest', '--group', topic, '--topic', topic, '--execute'], /\s0\s*$/m),
    { tool: 'org.apache.kafka.tools.GetOffsetShell', words: onTopic, prints: new RegExp(`${topic}:\\d:\\d`) },
    {
      tool: 'kafka.admin.ConfigCommand',
      words: [...entity, '--alter', '--add-config', 'retention.ms=7200000'],
      prints: /Completed updating config/,
    },
    { tool: 'kafka.admin.ConfigCommand', words: [...entity, '--describe'], prints: /retention\.ms=7200000/ },
    topics(['--delete'], /^/),
  ];
}
