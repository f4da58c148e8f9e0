// Installs Apache Kafka, for tests with its programs.
export { installKafka, jarsOf, kafkaVersion } from '../../streaming/engine/apache/install.ts';
