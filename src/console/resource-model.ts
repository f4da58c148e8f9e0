// The model of a collection of resources: paths, properties and all operations of the API. The region derives it
// (derive-model.ts), the web app reads it.

export interface FieldSchema {
  readonly [keyword: string]: unknown; // JSON Schema, as in the API's documents
}

export interface OperationModel {
  operation: string; // server_start
  title: string; // Start
  summary: string; // as in the API's documents
  method: string;
  path: string; // below the prefix of the service: /datacenters/{datacenterId}/servers/{serverId}/start
  query: readonly QueryModel[]; // query parameters
  body?: FieldSchema;
  states?: readonly string[]; // states that allow it; absent: all
}

export interface QueryModel {
  name: string;
  description: string;
  schema: FieldSchema;
}

export interface ResourceModel {
  name: string; // of the resource type, as in its declaration: server
  title: string; // Server
  titles: string; // Servers
  service: string; // the name of its service: cloudapi
  prefix: string; // of its calls: /cloudapi/v6
  isRegional: boolean; // its calls may begin with a region: /de-fra/logging/pipelines
  collection: string; // /datacenters/{datacenterId}/servers
  item?: string; // /datacenters/{datacenterId}/servers/{serverId}; absent if one item has no operations
  hasPage: boolean; // there is a GET of one item
  parent?: string; // the parent collection: /datacenters
  isReference: boolean; // items have their pages in another collection: the volumes that are attached to a server
  columns: readonly string[]; // the properties that its table shows
  immutable: readonly string[]; // properties that a change can't set
  words: Readonly<Record<string, readonly string[]>>; // common values by path, case ignored: logs.source
  read: FieldSchema; // schema of the properties in responses
  isPaged: boolean; // its list takes an offset and a limit
  isListedAcross: boolean; // there is a list across all parents: /datacenters/-/servers
  list: OperationModel;
  create?: OperationModel;
  change?: OperationModel; // by PATCH, or by PUT where there is no PATCH
  remove?: OperationModel;
  ofAll: readonly OperationModel[]; // operations on the whole collection
  ofOne: readonly OperationModel[]; // operations on one item: start, renew …; those with GET show something
}
