// What the console knows of each resource: where it is listed, what it has, and every operation that the API offers on
// it. The region derives it (derive-model.ts), the web app reads it.

export interface FieldSchema {
  readonly [keyword: string]: unknown; // JSON Schema, as in the API's documents
}

export interface OperationModel {
  operation: string; // server_start
  title: string; // Start
  method: string;
  path: string; // with the prefix of the service: /cloudapi/v6/datacenters/{datacenterId}/servers/{serverId}/start
  body?: FieldSchema;
  states?: readonly string[]; // in which it can be done; absent: in any
}

export interface ResourceModel {
  name: string; // server
  title: string; // Server
  titles: string; // Servers
  service: string; // the name of its service
  parent?: string; // the name of the resource that it is in
  collection: string; // /cloudapi/v6/datacenters/{datacenterId}/servers
  address: string; // of its list in the console, below /console/resources: /compute/datacenters/{datacenterId}/servers
  isRegional: boolean; // its calls begin with the region: /de-fra/dns/…
  verbs: readonly string[];
  columns: readonly string[]; // the properties that its table shows
  isPaged: boolean;
  read: FieldSchema; // of its properties
  create?: OperationModel;
  change?: OperationModel; // by PATCH, or by PUT where there is no PATCH
  remove?: OperationModel;
  actions: readonly OperationModel[]; // of one thing
  children: readonly string[]; // names of the resources in it
}
