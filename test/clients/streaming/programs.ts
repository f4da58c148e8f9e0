// The Kafka clients that users have: from Debian, PyPI, a Go module, and Apache Kafka's own from Maven.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installKafka, jarsOf, kafkaVersion } from '../../../src/testing/black-box/apache-kafka.ts';
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
export async function javaClient(): Promise<Found | Absent> {
  const [kafka, compiler] = [await apacheKafka(), find('CUMULET_JAVAC', 'javac')];
  if (!kafka.path || !compiler.path) return kafka.path ? compiler : kafka;
  const sources = globSync(join(import.meta.dirname, 'java/*.java')).sort();
  const hash = createHash('sha256');
  for (const file of sources) hash.update(readFileSync(file));
  const folder = join(cache, `java-${hash.digest('hex').slice(0, 16)}`);
  const classPath = join(jarsOf(kafka.path), '*');
  await once(folder, async () => void (await mustRun([compiler.path, '-cp', classPath, '-d', folder, ...sources])));
  return { path: folder };
}

// Short runs do not pay for the second compiler of the virtual machine.
export async function javaCommand(main: string): Promise<string[]> {
  const [kafka, classes] = [await apacheKafka(), await javaClient()];
  if (!kafka.path || !classes.path) throw new Error(kafka.skip ?? classes.skip);
  const java = find('CUMULET_JAVA', 'java').path ?? 'java';
  const quiet = '-Dlog4j2.level=OFF';
  const classPath = `${join(jarsOf(kafka.path), '*')}:${classes.path}`;
  return [java, '-XX:TieredStopAtLevel=1', '-Xmx256m', quiet, '-cp', classPath, main];
}
