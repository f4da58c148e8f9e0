// Messages about configurations and client quotas. Names and versions are those of Apache Kafka 4.0.0.
import { api } from '../api.ts';
import { array, bool, float64, int8, int16, int32, string } from '../field.ts';

export const describeConfigs = api({
  key: 32,
  name: 'DescribeConfigs',
  versions: [1, 4],
  flexible: 4,
  request: {
    resources: array({ resourceType: int8, resourceName: string, configurationKeys: array(string).nullable() }),
    includeSynonyms: bool,
    includeDocumentation: bool.since(3),
  },
  response: {
    throttleTimeMs: int32,
    results: array({
      errorCode: int16,
      errorMessage: string.nullable(),
      resourceType: int8,
      resourceName: string,
      configs: array({
        name: string,
        value: string.nullable(),
        readOnly: bool,
        configSource: int8.or(-1),
        isSensitive: bool,
        synonyms: array({ name: string, value: string.nullable(), source: int8 }),
        configType: int8.since(3),
        documentation: string.since(3).nullable(),
      }),
    }),
  },
});

export const alterConfigs = api({
  key: 33,
  name: 'AlterConfigs',
  versions: [0, 2],
  flexible: 2,
  request: {
    resources: array({
      resourceType: int8,
      resourceName: string,
      configs: array({ name: string, value: string.nullable() }),
    }),
    validateOnly: bool,
  },
  response: {
    throttleTimeMs: int32,
    responses: array({
      errorCode: int16,
      errorMessage: string.nullable(),
      resourceType: int8,
      resourceName: string,
    }),
  },
});

export const incrementalAlterConfigs = api({
  key: 44,
  name: 'IncrementalAlterConfigs',
  versions: [0, 1],
  flexible: 1,
  request: {
    resources: array({
      resourceType: int8,
      resourceName: string,
      configs: array({ name: string, configOperation: int8, value: string.nullable() }),
    }),
    validateOnly: bool,
  },
  response: {
    throttleTimeMs: int32,
    responses: array({
      errorCode: int16,
      errorMessage: string.nullable(),
      resourceType: int8,
      resourceName: string,
    }),
  },
});

export const describeClientQuotas = api({
  key: 48,
  name: 'DescribeClientQuotas',
  versions: [0, 1],
  flexible: 1,
  request: {
    components: array({ entityType: string, matchType: int8, match: string.nullable() }),
    strict: bool,
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    errorMessage: string.nullable(),
    entries: array({
      entity: array({ entityType: string, entityName: string.nullable() }),
      values: array({ key: string, value: float64 }),
    }).nullable(),
  },
});

export const alterClientQuotas = api({
  key: 49,
  name: 'AlterClientQuotas',
  versions: [0, 1],
  flexible: 1,
  request: {
    entries: array({
      entity: array({ entityType: string, entityName: string.nullable() }),
      ops: array({ key: string, value: float64, remove: bool }),
    }),
    validateOnly: bool,
  },
  response: {
    throttleTimeMs: int32,
    entries: array({
      errorCode: int16,
      errorMessage: string.nullable(),
      entity: array({ entityType: string, entityName: string.nullable() }),
    }),
  },
});

export const listClientMetricsResources = api({
  key: 74,
  name: 'ListClientMetricsResources',
  versions: [0, 0],
  flexible: 0,
  request: {},
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    clientMetricsResources: array({ name: string }),
  },
});
