// Names of commands, flags and attributes in ionosctl and the Terraform provider, by the operation that creates the
// resource. Tests in test/clients/ compare them with the programs.

export interface CommandNames {
  words: string; // before its flags
  flags: Readonly<Record<string, string>>; // by property path or path parameter
  needs?: readonly string[]; // properties that only ionosctl requires
  takesFile?: boolean; // takes the whole body as a file instead of flags
}

export interface TerraformNames {
  type: string;
  // Names that are not the property in snake_case. An empty name moves the contents one level up.
  names?: Readonly<Record<string, string>>;
  lacks?: readonly string[]; // properties that the provider does not have
  needs?: readonly string[]; // properties that only the provider requires
  fixed?: Readonly<Record<string, string>>; // attributes with a fixed value
}

export interface ClientNames {
  ionosctl?: CommandNames;
  terraform?: TerraformNames;
}

export const snakeCase = (name: string): string => separated(name, '_');
const kebabCase = (name: string): string => separated(name, '-');

const separated = (name: string, by: string): string => name.replace(/[A-Z]/g, (one) => by + one.toLowerCase());

// Flags that are the property in kebab-case, and all others.
const flags = (alike: string, others: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...Object.fromEntries(alike.split(' ').map((name) => [name, kebabCase(name)])),
  ...others,
});

const inDatacenter = 'datacenterId name';
const flowlog = (owner: string, of: string): ClientNames => ({
  ionosctl: {
    words: `compute ${owner}flowlog create`,
    flags: flags(`${inDatacenter} ${of} action direction`, { bucket: 's3bucket' }),
  },
});
const label = (kind: string, of: string): ClientNames => ({
  ionosctl: {
    words: `compute label add --resource-type ${kind}`,
    flags: flags(of, { key: 'label-key', value: 'label-value' }),
  },
});
const balancer = (kind: string, type: string): ClientNames => ({
  ionosctl: {
    words: `compute ${kind} create`,
    flags: flags(`${inDatacenter} listenerLan targetLan ips`, { lbPrivateIps: 'private-ips' }),
  },
  terraform: { type },
});
const ruleFlags = 'protocol sourceIp sourceMac icmpCode icmpType portRangeStart portRangeEnd ipVersion';

export const clientNames: Readonly<Record<string, ClientNames>> = {
  datacenter_create: {
    ionosctl: { words: 'compute datacenter create', flags: flags('name description location') },
    terraform: {
      type: 'ionoscloud_datacenter',
      lacks: ['defaultSecurityGroupId', 'createDefaultSecurityGroup'],
    },
  },
  lan_create: {
    ionosctl: {
      words: 'compute lan create',
      flags: flags(`${inDatacenter} public`, { ipv6CidrBlock: 'ipv6-cidr', pcc: 'pcc-id' }),
    },
    terraform: { type: 'ionoscloud_lan', lacks: ['ipFailover'] },
  },
  server_create: {
    ionosctl: {
      words: 'compute server create',
      flags: flags(`${inDatacenter} cores ram availabilityZone cpuFamily type nicMultiQueue`, {
        templateUuid: 'template-id',
      }),
    },
    terraform: {
      type: 'ionoscloud_server',
      lacks: ['bootCdrom', 'bootVolume', 'placementGroupId'],
      needs: ['name'],
    },
  },
  server_cdroms_attach: {
    ionosctl: { words: 'compute server cdrom attach', flags: flags('datacenterId serverId', { id: 'cdrom-id' }) },
  },
  nic_create: {
    ionosctl: {
      words: 'compute nic create',
      flags: flags(`${inDatacenter} serverId ips dhcp dhcpv6 firewallActive firewallType ipv6Ips`, {
        lan: 'lan-id',
        ipv6CidrBlock: 'ipv6-cidr',
      }),
    },
    terraform: { type: 'ionoscloud_nic' },
  },
  firewallrule_create: {
    ionosctl: {
      words: 'compute firewallrule create',
      flags: flags(`${inDatacenter} serverId nicId ${ruleFlags}`, { targetIp: 'destination-ip', type: 'direction' }),
    },
    terraform: { type: 'ionoscloud_firewall', lacks: ['ipVersion'] },
  },
  nic_flowlog_create: flowlog('', 'serverId nicId'),
  natgateway_flowlog_create: flowlog('natgateway ', 'natgatewayId'),
  networkloadbalancer_flowlog_create: flowlog('networkloadbalancer ', 'networkloadbalancerId'),
  applicationloadbalancer_flowlog_create: flowlog('applicationloadbalancer ', 'applicationloadbalancerId'),
  volume_create: {
    // Terraform's volume always belongs to a server.
    ionosctl: {
      words: 'compute volume create',
      flags: flags(
        `${inDatacenter} type size availabilityZone imageAlias bus licenceType cpuHotPlug ramHotPlug nicHotPlug ` +
          'nicHotUnplug discVirtioHotPlug discVirtioHotUnplug backupunitId userData',
        { image: 'image-id', imagePassword: 'password' },
      ),
    },
  },
  securitygroup_create: { terraform: { type: 'ionoscloud_nsg', needs: ['description'] } },
  securitygrouprule_create: {
    terraform: {
      type: 'ionoscloud_nsg_firewallrule',
      names: { securitygroupId: 'nsg_id' },
      lacks: ['ipVersion'],
    },
  },
  loadbalancer_create: {
    ionosctl: { words: 'compute loadbalancer create', flags: flags(`${inDatacenter} dhcp`) },
  },
  networkloadbalancer_create: balancer('networkloadbalancer', 'ionoscloud_networkloadbalancer'),
  applicationloadbalancer_create: balancer('applicationloadbalancer', 'ionoscloud_application_loadbalancer'),
  networkforwardingrule_create: {
    ionosctl: {
      words: 'compute networkloadbalancer rule create',
      flags: flags(`${inDatacenter} networkloadbalancerId algorithm listenerIp listenerPort`, {
        'healthCheck.clientTimeout': 'client-timeout',
        'healthCheck.connectTimeout': 'connection-timeout',
        'healthCheck.targetTimeout': 'target-timeout',
        'healthCheck.retries': 'retries',
      }),
    },
    terraform: { type: 'ionoscloud_networkloadbalancer_forwardingrule', needs: ['targets'] },
  },
  applicationforwardingrule_create: {
    ionosctl: {
      words: 'compute applicationloadbalancer rule create',
      flags: flags(
        `${inDatacenter} applicationloadbalancerId protocol listenerIp listenerPort clientTimeout serverCertificates`,
      ),
    },
    terraform: {
      type: 'ionoscloud_application_loadbalancer_forwardingrule',
      names: { applicationloadbalancerId: 'application_loadbalancer_id' },
    },
  },
  targetgroup_create: {
    ionosctl: {
      words: 'compute targetgroup create',
      flags: flags('name algorithm protocol', {
        'healthCheck.checkTimeout': 'check-timeout',
        'healthCheck.checkInterval': 'check-interval',
        'healthCheck.retries': 'retries',
        'httpHealthCheck.path': 'path',
        'httpHealthCheck.method': 'method',
        'httpHealthCheck.matchType': 'match-type',
        'httpHealthCheck.response': 'response',
        'httpHealthCheck.regex': 'regex',
        'httpHealthCheck.negate': 'negate',
      }),
    },
    terraform: { type: 'ionoscloud_target_group', needs: ['protocolVersion'] },
  },
  natgateway_create: {
    ionosctl: { words: 'compute natgateway create', flags: flags(inDatacenter, { publicIps: 'ips' }) },
    terraform: { type: 'ionoscloud_natgateway', needs: ['lans'] },
  },
  natgatewayrule_create: {
    ionosctl: {
      words: 'compute natgateway rule create',
      flags: flags(`${inDatacenter} natgatewayId protocol sourceSubnet targetSubnet`, {
        publicIp: 'ip',
        'targetPortRange.start': 'port-range-start',
        'targetPortRange.end': 'port-range-end',
      }),
    },
    terraform: { type: 'ionoscloud_natgateway_rule' },
  },
  ipblock_create: {
    ionosctl: { words: 'compute ipblock create', flags: flags('name location size') },
    terraform: { type: 'ionoscloud_ipblock' },
  },
  pcc_create: {
    ionosctl: { words: 'compute pcc create', flags: flags('name description') },
    terraform: { type: 'ionoscloud_private_crossconnect', needs: ['name'] },
  },
  backupunit_create: {
    ionosctl: { words: 'compute backupunit create', flags: flags('name password email') },
    terraform: { type: 'ionoscloud_backup_unit' },
  },
  datacenter_label_create: label('datacenter', 'datacenterId'),
  server_label_create: label('server', 'datacenterId serverId'),
  volume_label_create: label('volume', 'datacenterId volumeId'),
  ipblock_label_create: label('ipblock', 'ipblockId'),
  snapshot_label_create: label('snapshot', 'snapshotId'),
  user_create: {
    ionosctl: {
      words: 'compute user create',
      flags: flags('email password', { firstname: 'first-name', lastname: 'last-name', administrator: 'admin' }),
      needs: ['password'],
    },
    terraform: {
      type: 'ionoscloud_user',
      names: { firstname: 'first_name', lastname: 'last_name' },
      lacks: ['secAuthActive'],
      needs: ['password'],
    },
  },
  group_create: {
    ionosctl: {
      words: 'compute group create',
      flags: flags('name createSnapshot reserveIp createPcc manageRegistry', {
        createDataCenter: 'create-dc',
        accessActivityLog: 'access-logs',
        s3Privilege: 's3privilege',
        createBackupUnit: 'create-backup',
        createInternetAccess: 'create-nic',
        createK8sCluster: 'create-k8s',
        createFlowLog: 'create-flowlog',
        accessAndManageMonitoring: 'access-monitoring',
        accessAndManageCertificates: 'access-certs',
        accessAndManageDns: 'access-dns',
        manageDBaaS: 'manage-dbaas',
      }),
    },
    terraform: {
      type: 'ionoscloud_group',
      names: { createDataCenter: 'create_datacenter', manageDBaaS: 'manage_dbaas' },
    },
  },
  s3key_create: {
    ionosctl: { words: 'compute user s3key create', flags: flags('userId') },
    terraform: { type: 'ionoscloud_s3_key' },
  },
  share_create: {
    ionosctl: {
      words: 'compute share create',
      flags: flags('groupId resourceId editPrivilege sharePrivilege'),
    },
    terraform: { type: 'ionoscloud_share' },
  },
  autoscalinggroup_create: {
    ionosctl: { words: 'vm-autoscaling group create', flags: {}, takesFile: true },
    terraform: {
      type: 'ionoscloud_autoscaling_group',
      names: {
        datacenter: '',
        'datacenter.id': 'datacenter_id',
        'policy.scaleInAction.terminationPolicy': 'termination_policy_type',
        'replicaConfiguration.nics': 'nic',
        'replicaConfiguration.nics.flowLogs': 'flow_log',
        'replicaConfiguration.nics.firewallRules': 'firewall_rule',
        'replicaConfiguration.volumes': 'volume',
        'replicaConfiguration.volumes.backupunitId': 'backup_unit_id',
      },
      lacks: ['location', 'datacenter.type', 'datacenter.href'],
      needs: [
        'policy.unit',
        'policy.scaleInAction.deleteVolumes',
        'replicaConfiguration.availabilityZone',
        'replicaConfiguration.volumes.bootOrder',
        'replicaConfiguration.nics.targetGroup.weight',
      ],
    },
  },
  metricpipeline_create: {
    ionosctl: { words: 'monitoring pipeline create', flags: flags('location name') },
    terraform: { type: 'ionoscloud_monitoring_pipeline', lacks: ['retentionInDays'] },
  },
  logpipeline_create: {
    ionosctl: {
      words: 'logging-service pipeline create',
      flags: flags('location name', {
        'logs.0.source': 'log-source',
        'logs.0.tag': 'log-tag',
        'logs.0.protocol': 'log-protocol',
        'logs.0.labels': 'log-labels',
        'logs.0.destinations.0.type': 'log-type',
        'logs.0.destinations.0.retentionInDays': 'log-retention-time',
      }),
      needs: ['logs.protocol'],
    },
    terraform: {
      type: 'ionoscloud_logging_pipeline',
      names: { logs: 'log' },
      lacks: ['logs.retentionInDays', 'logs.labels', 'logs.public'],
      needs: ['logs.protocol'],
    },
  },
  accesskey_create: {
    terraform: {
      type: 'ionoscloud_object_storage_accesskey',
      lacks: ['accessKey', 'secretKey', 'canonicalUserId', 'contractUserId'],
    },
  },
  zone_create: {
    ionosctl: { words: 'dns zone create', flags: flags('description enabled', { zoneName: 'name' }) },
    terraform: { type: 'ionoscloud_dns_zone', names: { zoneName: 'name' } },
  },
  record_create: {
    ionosctl: {
      words: 'dns record create',
      flags: flags('name type content ttl priority enabled', { zoneId: 'zone' }),
    },
    terraform: { type: 'ionoscloud_dns_record' },
  },
  secondaryzone_create: {
    ionosctl: { words: 'dns secondary-zone create', flags: flags('description primaryIps', { zoneName: 'name' }) },
  },
  reverserecord_create: {
    ionosctl: { words: 'dns reverse-record create', flags: flags('name description ip') },
    terraform: { type: 'ionoscloud_dns_reverse_record' },
  },
  certificate_create: {
    ionosctl: {
      words: 'certmanager certificate create',
      flags: flags('certificate certificateChain privateKey', { name: 'certificate-name' }),
    },
    terraform: { type: 'ionoscloud_certificate' },
  },
  certificateprovider_create: {
    ionosctl: {
      words: 'certmanager provider create',
      flags: flags('name email server', {
        'externalAccountBinding.keyId': 'key-id',
        'externalAccountBinding.keySecret': 'key-secret',
      }),
    },
    terraform: { type: 'ionoscloud_auto_certificate_provider', needs: ['externalAccountBinding.keySecret'] },
  },
  autocertificate_create: {
    ionosctl: {
      words: 'certmanager autocertificate create',
      flags: flags('name commonName keyAlgorithm subjectAlternativeNames', { provider: 'provider-id' }),
    },
    terraform: {
      type: 'ionoscloud_auto_certificate',
      names: { provider: 'provider_id' },
      fixed: { location: 'de/fra' },
    },
  },
  cluster_create: {
    ionosctl: {
      words: 'kafka cluster create',
      flags: flags('location name version size', {
        'connections.0.datacenterId': 'datacenter-id',
        'connections.0.lanId': 'lan-id',
        'connections.0.brokerAddresses': 'broker-addresses',
      }),
      needs: ['version', 'connections'],
    },
    terraform: { type: 'ionoscloud_kafka_cluster', needs: ['version', 'connections'] },
  },
  topic_create: {
    ionosctl: {
      words: 'kafka topic create',
      flags: flags('location clusterId name replicationFactor', {
        numberOfPartitions: 'partitions',
        'logRetention.retentionTime': 'retention-time',
        'logRetention.segmentBytes': 'segment-bytes',
      }),
    },
    terraform: { type: 'ionoscloud_kafka_cluster_topic', names: { logRetention: '' } },
  },
};
