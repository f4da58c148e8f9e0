// Installs Apache Kafka as jars, which Maven downloads with its usual settings. Nothing is compiled.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { isWindows } from '../../../base/operating-system.ts';

export const kafkaVersion = '4.0.0';
export const metricsAgent = 'jmx_prometheus_javaagent-1.0.1.jar';

// The connector programs need half of the jars, and neither the broker nor the console tools load them.
const unused = ['connect-api', 'connect-json', 'connect-runtime', 'connect-transforms'];
const logging = ['log4j-api', 'log4j-core', 'log4j-slf4j-impl', 'log4j-1.2-api'];

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>cumulet</groupId>
  <artifactId>apache-kafka</artifactId>
  <version>${kafkaVersion}</version>
  <packaging>pom</packaging>
  <dependencies>
    ${dependency('org.apache.kafka', 'kafka_2.13', kafkaVersion)}
    ${dependency('org.apache.kafka', 'kafka-tools', kafkaVersion, unused)}
    ${logging.map((name) => dependency('org.apache.logging.log4j', name, '2.24.3')).join('\n    ')}
    ${dependency('io.prometheus.jmx', 'jmx_prometheus_javaagent', '1.0.1')}
  </dependencies>
</project>
`;

function dependency(group: string, name: string, version: string, without: string[] = []): string {
  const exclusions = without.map(
    (one) => `<exclusion><groupId>${group}</groupId><artifactId>${one}</artifactId></exclusion>`,
  );
  const parts = `<groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>`;
  return `<dependency>${parts}<exclusions>${exclusions.join('')}</exclusions></dependency>`;
}

// Users edit this file: one option per line.
const jvmOptions = `# Options of the Java process of each broker.
# Three small brokers start fastest with the first compiler alone; without that line, long runs are faster.
-Xmx256m
-XX:TieredStopAtLevel=1
`;
const optionsFile = (folder: string): string => join(folder, 'jvm.options');

export const jarsOf = (folder: string): string => join(folder, 'libs');

export const isInstalled = (folder: string): boolean =>
  existsSync(join(jarsOf(folder), `kafka_2.13-${kafkaVersion}.jar`));

export function jvmOptionsOf(folder: string): string[] {
  const text = existsSync(optionsFile(folder)) ? readFileSync(optionsFile(folder), 'utf8') : jvmOptions;
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

// Returns the number of jars. The folder has either all of them or none.
export async function installKafka(folder: string, maven = 'mvn'): Promise<number> {
  const fresh = join(folder, 'libs.partial');
  await rm(fresh, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'pom.xml'), pom);
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${fresh}`];
  await runMaven(maven, ['--batch-mode', '--quiet', '--file', join(folder, 'pom.xml'), ...goal]);
  await rm(jarsOf(folder), { recursive: true, force: true });
  await rename(fresh, jarsOf(folder));
  if (!existsSync(optionsFile(folder))) await writeFile(optionsFile(folder), jvmOptions);
  return readdirSync(jarsOf(folder)).length;
}

function runMaven(maven: string, words: string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(maven, words, { stdio: ['ignore', 'pipe', 'pipe'], shell: isWindows });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = `${output}${chunk}`.slice(-2000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', (cause) => reject(new Fault('refused', `Maven (${maven}) can't be started: ${cause.message}`)));
  child.on('close', (code) => {
    if (code === 0) resolve();
    else reject(new Fault('refused', `Maven failed with exit code ${code}: ${output.trim()}`));
  });
  return promise;
}
