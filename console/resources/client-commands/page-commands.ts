// The commands that pages show apart from those of forms and first resources. Tests execute all of them.
import { word } from './shell.ts';

export const clientEnvironment = 'eval "$(./cumulet env --proxy)"';
export const firstDatacenter = 'ionosctl compute datacenter create --name first --location de/txl';
export const firstServer = (datacenter: string): string =>
  `ionosctl compute server create --datacenter-id ${datacenter} --name web --cores 1 --ram 2048`;
export const startServer = (datacenter: string, server: string): string =>
  `ionosctl compute server start --datacenter-id ${datacenter} --server-id ${server} --force`;
export const contractLimits = 'ionosctl compute contract get';
export const requestDetails = (id: string): string => `ionosctl compute request get --request-id ${id}`;
export const clusterHelp = 'ionosctl kafka cluster create --help';
export const scalingGroupHelp = 'ionosctl vm-autoscaling group create --help';

export const costs = './cumulet cost';
export const advanceClockCommand = './cumulet lab clock --advance 1d';
export const trafficHelp = './cumulet lab traffic --help';
export const addContract = './cumulet contract add --owner team@example.com';
export const plantFault = `./cumulet lab faults --plant '{"kind":"server","step":"create.*","mode":"fail"}'`;
export const copyHelp = './cumulet seed --help';
export const savePointCommand = './cumulet savepoint create before';

export const activityLog = (origin: string, contract: number | string | undefined): string =>
  `curl -H "Authorization: Bearer $IONOS_TOKEN" ${origin}/activitylog/v1/contracts/${contract}`;

export const firstBucket = `eval "$(./cumulet env --aws)"\naws s3 mb s3://first && aws s3 cp README.md s3://first/`;
export const uploadTo = (bucket: string, prefix: string): string =>
  `eval "$(./cumulet env --aws)"\naws s3 cp README.md ${word(`s3://${bucket}/${prefix}`)}`;

// `access` writes the settings of Kafka clients into a folder.
export const firstMessage = (cluster: string, topic: string): string =>
  `./cumulet streaming access ${cluster} --write kafka\necho hello | kcat -F kafka/kcat.conf -P -t ${word(topic)}`;
