// How other clients create nested resources, by the operation that creates the main resource: ionosctl by further
// commands, Terraform by blocks in the resource.

export interface NestedNames {
  param: string; // path parameter of the main resource
  column: string; // column of ionosctl's table with its id
  inside: Readonly<Record<string, CollectionNames>>; // by the collection
}

export interface CollectionNames {
  operation: string; // creates one separately
  // Set if the resource is created separately and then attached.
  attach?: { words: string; flags: Readonly<Record<string, string>>; param: string; column: string };
  terraform: {
    block: string;
    names?: Readonly<Record<string, string>>; // names in the block that are not the property in snake_case
    outside?: Readonly<Record<string, string>>; // properties that belong to the main resource
  };
}

export const nestedNames: Readonly<Record<string, NestedNames>> = {
  server_create: {
    param: 'serverId',
    column: 'ServerId',
    inside: {
      volumes: {
        operation: 'volume_create',
        attach: {
          words: 'compute server volume attach',
          flags: { datacenterId: 'datacenter-id', serverId: 'server-id', volumeId: 'volume-id' },
          param: 'volumeId',
          column: 'VolumeId',
        },
        terraform: {
          block: 'volume',
          names: { type: 'disk_type' },
          outside: { image: 'image_name', imageAlias: 'image_name', imagePassword: 'image_password' },
        },
      },
      nics: { operation: 'nic_create', terraform: { block: 'nic' } },
    },
  },
};
