// A region with one resource of each kind, and valid arguments for every tool.
import assert from 'node:assert/strict';
import {
  CreateBucketCommand,
  PutBucketCorsCommand,
  PutBucketEncryptionCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  PutObjectRetentionCommand,
  PutObjectTaggingCommand,
  PutPublicAccessBlockCommand,
} from '@aws-sdk/client-s3';
import { addLogPipeline } from '../harness/logs.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { worldOf } from '../sweep/api.ts';

export interface Populated {
  region: Region;
  env: Record<string, string>; // environment variables for the tool server
  ids: Record<string, string>; // by resource: datacenterId …
  argumentsOf(tool: ToolOfTest): Record<string, unknown>;
}

export interface ToolOfTest {
  name: string;
  inputSchema: { required?: string[] | undefined; properties?: Record<string, unknown> | undefined };
}

const bucket = 'agent-bucket';
const key = 'a folder/a+b.txt';

export async function populatedRegion(args: string[] = []): Promise<Populated> {
  const region = await startRegion({ args });
  try {
    const { ids } = await worldOf(region);
    const storageKey = await fillBucket(region);
    await region.call('POST', `/dns/zones/${ids.zoneId}/keys`, {
      properties: {
        keyParameters: { algorithm: 'RSASHA256', kskBits: 2048, zskBits: 2048 },
        nsecParameters: { nsecMode: 'NSEC3', nsec3Iterations: 0, nsec3SaltBits: 64 },
        validity: 90,
      },
    });
    const logs = await addLogPipeline(region);
    const sent = { properties: { name: 'handbook' } };
    const collection = await region.call('POST', '/inference/collections', sent);
    const env = {
      IONOS_API_URL: region.url,
      IONOS_TOKEN: region.token,
      IONOS_S3_ACCESS_KEY: storageKey.accessKeyId,
      IONOS_S3_SECRET_KEY: storageKey.secretAccessKey,
    };
    const known = {
      ...ids,
      logpipelineId: logs.id,
      collectionId: collection.body.id,
      contract: String(region.contract),
    };
    return { region, env, ids: known, argumentsOf: (tool) => argumentsOf(tool, known) };
  } catch (error) {
    await region.stop();
    throw error;
  }
}

// A bucket with every setting, and an object with all metadata.
async function fillBucket(region: Region) {
  const storageKey = await makeStorageKey(region);
  const s3 = s3Client(region, storageKey);
  await s3.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: true }));
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'hello', Metadata: { color: 'blue' } }));
  const cors = { CORSRules: [{ AllowedMethods: ['GET'], AllowedOrigins: ['*'] }] };
  await s3.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: cors }));
  const encryption = { Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' as const } }] };
  await s3.send(new PutBucketEncryptionCommand({ Bucket: bucket, ServerSideEncryptionConfiguration: encryption }));
  const rule = { ID: 'old', Status: 'Enabled' as const, Filter: { Prefix: 'tmp/' }, Expiration: { Days: 30 } };
  const lifecycle = { LifecycleConfiguration: { Rules: [rule] } };
  await s3.send(new PutBucketLifecycleConfigurationCommand({ Bucket: bucket, ...lifecycle }));
  const statement = {
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::${bucket}/public/*`,
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  await s3.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }));
  const Tagging = { TagSet: [{ Key: 'team', Value: 'a' }] };
  await s3.send(new PutBucketTaggingCommand({ Bucket: bucket, Tagging }));
  const block = { BlockPublicAcls: true };
  await s3.send(new PutPublicAccessBlockCommand({ Bucket: bucket, PublicAccessBlockConfiguration: block }));
  await s3.send(new PutObjectTaggingCommand({ Bucket: bucket, Key: key, Tagging }));
  const Retention = { Mode: 'GOVERNANCE' as const, RetainUntilDate: new Date('2099-01-01') };
  await s3.send(new PutObjectRetentionCommand({ Bucket: bucket, Key: key, Retention }));
  await s3.send(new PutObjectLegalHoldCommand({ Bucket: bucket, Key: key, LegalHold: { Status: 'ON' } }));
  s3.destroy();
  return storageKey;
}

// By tool if an argument means a different resource for each tool, else by argument.
const ofTools: readonly [tool: RegExp, argument: string, id: string][] = [
  [/security_group_rule/, 'rule_id', 'securitygroupruleId'],
  [/nlb_forwarding_rule/, 'rule_id', 'networkforwardingruleId'],
  [/alb_forwarding_rule/, 'rule_id', 'applicationforwardingruleId'],
  [/nat_gateway_rule/, 'rule_id', 'natgatewayruleId'],
  [/^get_nic_flow_log/, 'flow_log_id', 'nicId/flowlogId'],
  [/^get_nat_gateway_flow_log/, 'flow_log_id', 'natgatewayId/flowlogId'],
  [/^get_network_loadbalancer_flow_log/, 'flow_log_id', 'networkloadbalancerId/flowlogId'],
  [/^get_application_loadbalancer_flow_log/, 'flow_log_id', 'applicationloadbalancerId/flowlogId'],
  [/autoscaling/, 'group_id', 'autoscalinggroupId'],
  [/autoscaling/, 'server_id', 'autoscalingserverId'],
  [/log_pipeline/, 'pipeline_id', 'logpipelineId'],
  [/pipeline/, 'pipeline_id', 'metricpipelineId'],
  [/kafka/, 'user_id', 'clusteruserId'],
];

const idNames: Readonly<Record<string, string>> = {
  network_loadbalancer_id: 'networkloadbalancerId',
  application_loadbalancer_id: 'applicationloadbalancerId',
  target_group_id: 'targetgroupId',
  nat_gateway_id: 'natgatewayId',
  pcc_id: 'pccId',
  security_group_id: 'securitygroupId',
  label_key: 'labelId',
  s3_key_id: 's3keyId',
  action_id: 'autoscalingactionId',
  secondary_zone_id: 'secondaryzoneId',
  reverse_record_id: 'reverserecordId',
  access_key_id: 'accesskeyId',
  auto_certificate_id: 'autocertificateId',
  provider_id: 'certificateproviderId',
};

const fixed: Readonly<Record<string, unknown>> = {
  bucket,
  key,
  region: 'eu-central-3',
  filter: 'RAM',
  from: 'internet',
  to: '198.18.0.1',
  query: 'up',
  resources: [{ kind: 'server', cores: 2, ram_gb: 4, size_gb: 20 }],
};

function argumentsOf({ name, inputSchema }: ToolOfTest, ids: Record<string, string>): Record<string, unknown> {
  const given = (argument: string): unknown => {
    const own = ofTools.find(([tool, one]) => one === argument && tool.test(name))?.[2];
    if (own !== undefined) return ids[own];
    if (argument === 'contract') return Number(ids.contract);
    const plain = `${argument.replace(/_id$/, '').replaceAll('_', '')}Id`;
    return fixed[argument] ?? ids[argument] ?? ids[idNames[argument] ?? plain];
  };
  const required = (inputSchema.required ?? []).map((argument) => {
    const value = given(argument);
    assert.notEqual(value, undefined, `no value for the argument ${argument} of ${name}`);
    return [argument, value] as const;
  });
  const optional = inputSchema.properties ?? {};
  const pipeline =
    'pipeline' in optional ? [['pipeline', /log/.test(name) ? ids.logpipelineId : ids.metricpipelineId]] : [];
  return Object.fromEntries([...required, ...pipeline]);
}

// A populated region can't have GPUs, and it replicates nothing.
export const maybeMissing: ReadonlySet<string> = new Set(['get_server_gpu', 'get_object_storage_bucket_replication']);
