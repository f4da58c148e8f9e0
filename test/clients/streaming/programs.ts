// The Kafka clients: from Debian, PyPI, a Go module, and Apache Kafka's own from Maven.
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installKafka, jarsOf, kafkaVersion } from '../../../src/testing/black-box/apache-kafka.ts';
import { limits } from '../../../src/testing/limits.ts';
import { debian } from '../debian.ts';
import { type Absent, cache, type Found, find, goProgram, once, pythonWith } from '../install.ts';
import { mustRun } from '../run.ts';

export const kcat = (): Promise<Found | Absent> => debian('CUMULET_KCAT', 'kcat', 'kcat', ['librdkafka1', 'libyajl2']);

export async function pythonClient(name: 'confluent-kafka' | 'aiokafka[lz4,snappy,zstd]'): Promise<Found | Absent> {
  const python = find('CUMULET_PYTHON', 'python3');
  return python.path ? { path: await pythonWith(python.path, name) } : python;
}

export async function franzGo(): Promise<Found | Absent> {
  const go = find('CUMULET_GO', 'go');
  return go.path ? { path: await goProgram(go.path, join(import.meta.dirname, 'go-franz')) } : go;
}

// The folder for kafka+jvm:FOLDER.
export async function apacheKafka(): Promise<Found | Absent> {
  const [java, maven] = [find('CUMULET_JAVA', 'java'), find('CUMULET_MAVEN', 'mvn')];
  if (!java.path) return java;
  const folder = join(cache, `kafka-${kafkaVersion}`);
  if (!maven.path) return maven;
  await once(folder, async () => void (await installKafka(folder, maven.path)));
  return { path: folder };
}

// The folder of our compiled Java programs.
export const javaClient = (): Promise<Found | Absent> => compiled(apacheKafka, 'java');

// The jars of Kafka Streams, and the folder of our programs that use it.
async function kafkaStreams(): Promise<Found | Absent> {
  const [java, maven] = [find('CUMULET_JAVA', 'java'), find('CUMULET_MAVEN', 'mvn')];
  if (!java.path || !maven.path) return java.path ? maven : java;
  const folder = join(cache, `kafka-streams-${kafkaVersion}`);
  await once(folder, async () => {
    const pom = join(folder, 'pom.xml');
    mkdirSync(folder, { recursive: true });
    writeFileSync(pom, streamsPom);
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${jarsOf(folder)}`];
    await mustRun([maven.path, '--batch-mode', '--quiet', '--file', pom, ...goal], { limitMs: limits.install });
  });
  return { path: folder };
}

const streamsPom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>cumulet</groupId>
  <artifactId>kafka-streams-client</artifactId>
  <version>${kafkaVersion}</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka-streams</artifactId><version>${kafkaVersion}</version>
    </dependency>
  </dependencies>
</project>
`;

export const streamsClient = (): Promise<Found | Absent> => compiled(kafkaStreams, 'java-streams');

async function compiled(install: () => Promise<Found | Absent>, name: string): Promise<Found | Absent> {
  const [library, compiler] = [await install(), find('CUMULET_JAVAC', 'javac')];
  if (!library.path || !compiler.path) return library.path ? compiler : library;
  const sources = globSync(join(import.meta.dirname, name, '*.java')).sort();
  const hash = createHash('sha256');
  for (const file of sources) hash.update(readFileSync(file));
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`);
  const classPath = join(jarsOf(library.path), '*');
  await once(folder, async () => void (await mustRun([compiler.path, '-cp', classPath, '-d', folder, ...sources])));
  return { path: folder };
}

export const javaCommand = (main: string): Promise<string[]> => commandOf(apacheKafka, javaClient, main);
export const streamsCommand = (main: string): Promise<string[]> => commandOf(kafkaStreams, streamsClient, main);

// Short runs do not pay for the second compiler of the virtual machine.
async function commandOf(
  install: () => Promise<Found | Absent>,
  compile: () => Promise<Found | Absent>,
  main: string,
): Promise<string[]> {
  const [library, classes] = [await install(), await compile()];
  if (!library.path || !classes.path) throw new Error(library.skip ?? classes.skip);
  const java = find('CUMULET_JAVA', 'java').path ?? 'java';
  const quiet = '-Dlog4j2.level=OFF';
  const classPath = `${join(jarsOf(library.path), '*')}:${classes.path}`;
  return [java, '-XX:TieredStopAtLevel=1', '-Xmx256m', quiet, '-cp', classPath, main];
}
