// Tools that list and show the declared resources. The declaration has the path, the parents, the columns and the
// secrets. The table below has the names that existing prompts use, if they differ from the declaration's.
import { chainOf, type Resource } from '../../core/resource.ts';
import type { ServiceName } from '../client/addresses.ts';
import type { Group, Tool } from '../tool.ts';
import { readTool } from './read-tool.ts';

interface ToolName {
  noun: string; // get_<noun>
  plural?: string; // list_<plural>; the noun with an s if absent
  id?: string; // the argument; <noun>_id if absent
}

const names: Readonly<Record<string, ToolName>> = {
  cdrom: { noun: 'server_cdrom', id: 'cdrom_id' },
  firewallrule: { noun: 'firewall_rule', id: 'firewallrule_id' },
  flowlog: { noun: 'flow_log' },
  securitygroup: { noun: 'security_group' },
  securitygrouprule: { noun: 'security_group_rule', id: 'rule_id' },
  networkloadbalancer: { noun: 'network_loadbalancer' },
  networkforwardingrule: { noun: 'nlb_forwarding_rule', id: 'rule_id' },
  applicationloadbalancer: { noun: 'application_loadbalancer' },
  applicationforwardingrule: { noun: 'alb_forwarding_rule', id: 'rule_id' },
  targetgroup: { noun: 'target_group' },
  natgateway: { noun: 'nat_gateway' },
  natgatewayrule: { noun: 'nat_gateway_rule', id: 'rule_id' },
  ipblock: { noun: 'ip_block', id: 'ipblock_id' },
  pcc: { noun: 'private_cross_connect', id: 'pcc_id' },
  backupunit: { noun: 'backup_unit', id: 'backupunit_id' },
  label: { noun: 'label', id: 'label_key' },
  s3key: { noun: 'user_s3_key', id: 's3_key_id' },
  autoscalinggroup: { noun: 'autoscaling_group', id: 'group_id' },
  autoscalingaction: { noun: 'autoscaling_action', id: 'action_id' },
  autoscalingserver: { noun: 'autoscaling_server', id: 'server_id' },
  metricpipeline: { noun: 'metric_pipeline', id: 'pipeline_id' },
  logpipeline: { noun: 'log_pipeline', id: 'pipeline_id' },
  cluster: { noun: 'kafka_cluster', id: 'cluster_id' },
  topic: { noun: 'kafka_topic', id: 'topic_id' },
  clusteruser: { noun: 'kafka_user', id: 'user_id' },
  zone: { noun: 'dns_zone', id: 'zone_id' },
  record: { noun: 'dns_record', plural: 'dns_zone_records', id: 'record_id' },
  secondaryzone: { noun: 'dns_secondary_zone', id: 'secondary_zone_id' },
  reverserecord: { noun: 'dns_reverse_record', id: 'reverse_record_id' },
  collection: { noun: 'inference_collection', id: 'collection_id' },
  accesskey: { noun: 'object_storage_access_key', id: 'access_key_id' },
  certificate: { noun: 'cert_certificate', id: 'certificate_id' },
  autocertificate: { noun: 'cert_auto_certificate', id: 'auto_certificate_id' },
  certificateprovider: { noun: 'cert_provider', id: 'provider_id' },
};

const nameOf = ({ name }: Resource): Required<ToolName> => {
  const { noun = name, plural, id } = names[name] ?? {};
  return { noun, plural: plural ?? `${noun}s`, id: id ?? `${noun}_id` };
};

// By the first part of `root`; core resources have none.
const services: Readonly<Record<string, [service: ServiceName, group: Group]>> = {
  '': ['cloudapi', 'compute'],
  um: ['cloudapi', 'identity'],
  autoscaling: ['autoscaling', 'autoscaling'],
  monitoring: ['monitoring', 'monitoring'],
  logging: ['logging', 'logging'],
  streaming: ['streaming', 'streaming'],
  dns: ['dns', 'dns'],
  'certificate-manager': ['certificates', 'certificates'],
  certificates: ['certificates', 'certificates'],
  'objectstorage-management': ['objectstorage', 'objectstorage'],
  objectstorage: ['objectstorage', 'objectstorage'],
  inference: ['inference', 'inference'],
};

export const nounOfResource = (resource: Resource): string => nameOf(resource).noun.replaceAll('_', ' ');

export const serviceOf = ([top]: readonly Resource[]): [service: ServiceName, group: Group] =>
  services[top?.root.split('/')[0] ?? ''] ?? ['cloudapi', 'compute'];

export const declaredTools = (resources: readonly Resource[]): Tool[] => resources.flatMap(toolsOf);

function toolsOf(resource: Resource): Tool[] {
  const { parents, verbs } = resource;
  const chains = parents.length > 0 ? parents.map((parent) => [...chainOf(parent), resource]) : [[resource]];
  return chains.flatMap((chain) => {
    const scope = chains.length > 1 ? `${nameOf(chain.at(-2) as Resource).noun}_` : '';
    return (['list', 'get'] as const).filter((verb) => verbs.includes(verb)).map((verb) => toolOf(chain, verb, scope));
  });
}

function toolOf(chain: readonly Resource[], verb: 'list' | 'get', scope: string): Tool {
  const resource = chain.at(-1) as Resource;
  const { noun, plural } = nameOf(resource);
  const [service, group] = serviceOf(chain);
  const isList = verb === 'list';
  const path = chain.map((one) => `/${one.dialect.collection(one)}/{${nameOf(one).id}}`).join('');
  const secrets = Object.entries(resource.properties).filter(([, one]) => one.secret || one.writeOnly);
  return readTool({
    name: isList ? `list_${scope}${plural}` : `get_${scope}${noun}`,
    group,
    service,
    path: isList ? path.slice(0, path.lastIndexOf('/')) : path,
    description: describe(chain, isList),
    isList,
    hasDepth: resource.dialect.hasDepth === true,
    columns: resource.shown.columns ?? [],
    secrets: new Set(secrets.map(([name]) => name)),
  });
}

function describe(chain: readonly Resource[], isList: boolean): string {
  const resource = chain.at(-1) as Resource;
  const above = chain.at(-2);
  const place = above ? ` of ${/^[aeiou]/.test(nounOfResource(above)) ? 'an' : 'a'} ${nounOfResource(above)}` : '';
  const columns = resource.shown.columns?.length ? ` with ${resource.shown.columns.join(', ')}` : '';
  if (isList) return `List the ${nameOf(resource).plural.replaceAll('_', ' ')}${place}${columns}.`;
  return `Show one ${nounOfResource(resource)}${place} with all its properties.`;
}
