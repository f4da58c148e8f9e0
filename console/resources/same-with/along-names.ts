// How other clients make what a form makes in a new thing, by the operation that makes the thing: ionosctl by further
// commands, Terraform by blocks in the resource.

export interface Along {
  param: string; // that names the thing in addresses of what is in it
  column: string; // with its id, in ionosctl's table
  inside: Readonly<Record<string, Inside>>; // by the collection
}

export interface Inside {
  operation: string; // that makes one by itself
  attach?: { words: string; flags: Readonly<Record<string, string>>; param: string; column: string }; // made elsewhere
  terraform: {
    block: string;
    names?: Readonly<Record<string, string>>; // in the block, where they are not the property's in snake_case
    outside?: Readonly<Record<string, string>>; // of the resource itself
  };
}

export const alongNames: Readonly<Record<string, Along>> = {
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
