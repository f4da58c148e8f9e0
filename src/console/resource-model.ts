// What the console knows of each collection of resources: where it is, what things in it have, and every operation that
// the API offers on them. The region derives it (derive-model.ts), the web app reads it.

export interface FieldSchema {
  readonly [keyword: string]: unknown; // JSON Schema, as in the API's documents
}

export interface OperationModel {
  operation: string; // server_start
  title: string; // Start
  summary: string; // as in the API's documents
  method: string;
  path: string; // below the prefix of the service: /datacenters/{datacenterId}/servers/{serverId}/start
  query: readonly QueryModel[]; // what it can be told besides
  body?: FieldSchema;
  states?: readonly string[]; // in which it can be done; absent: in any
}

export interface QueryModel {
  name: string;
  description: string;
  schema: FieldSchema;
}

export interface ResourceModel {
  name: string; // of one thing, as its declaration has it: server
  title: string; // Server
  titles: string; // Servers
  service: string; // the name of its service: cloudapi
  prefix: string; // of its calls: /cloudapi/v6
  isRegional: boolean; // its calls may begin with a region: /de-fra/logging/pipelines
  collection: string; // /datacenters/{datacenterId}/servers
  item?: string; // /datacenters/{datacenterId}/servers/{serverId}; absent: nothing can be done with one of them
  hasPage: boolean; // one of them can be read
  parent?: string; // the collection that it is in: /datacenters
  isReference: boolean; // its things have pages elsewhere: the volumes that are attached to a server
  columns: readonly string[]; // the properties that its table shows
  immutable: readonly string[]; // properties that a change can't set
  words: Readonly<Record<string, readonly string[]>>; // usual values, in any case, by path: logs.source
  read: FieldSchema; // of the properties
  isPaged: boolean; // its list takes an offset and a limit
  isListedAcross: boolean; // there is a list of all of them, wherever they are: /datacenters/-/servers
  list: OperationModel;
  create?: OperationModel;
  change?: OperationModel; // by PATCH, or by PUT where there is no PATCH
  remove?: OperationModel;
  ofAll: readonly OperationModel[]; // that are done with the whole collection
  ofOne: readonly OperationModel[]; // and with one thing: start, renew …; those with GET show something
}
