// Messages about access control lists. Names and versions are those of Apache Kafka 4.0.0.
import { api } from '../api.ts';
import { array, int8, int16, int32, string } from '../field.ts';

export const describeAcls = api({
  key: 29,
  name: 'DescribeAcls',
  versions: [1, 3],
  flexible: 2,
  request: {
    resourceTypeFilter: int8,
    resourceNameFilter: string.nullable(),
    patternTypeFilter: int8.or(3),
    principalFilter: string.nullable(),
    hostFilter: string.nullable(),
    operation: int8,
    permissionType: int8,
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    errorMessage: string.nullable(),
    resources: array({
      resourceType: int8,
      resourceName: string,
      patternType: int8.or(3),
      acls: array({ principal: string, host: string, operation: int8, permissionType: int8 }),
    }),
  },
});

export const createAcls = api({
  key: 30,
  name: 'CreateAcls',
  versions: [1, 3],
  flexible: 2,
  request: {
    creations: array({
      resourceType: int8,
      resourceName: string,
      resourcePatternType: int8.or(3),
      principal: string,
      host: string,
      operation: int8,
      permissionType: int8,
    }),
  },
  response: {
    throttleTimeMs: int32,
    results: array({ errorCode: int16, errorMessage: string.nullable() }),
  },
});

export const deleteAcls = api({
  key: 31,
  name: 'DeleteAcls',
  versions: [1, 3],
  flexible: 2,
  request: {
    filters: array({
      resourceTypeFilter: int8,
      resourceNameFilter: string.nullable(),
      patternTypeFilter: int8.or(3),
      principalFilter: string.nullable(),
      hostFilter: string.nullable(),
      operation: int8,
      permissionType: int8,
    }),
  },
  response: {
    throttleTimeMs: int32,
    filterResults: array({
      errorCode: int16,
      errorMessage: string.nullable(),
      matchingAcls: array({
        errorCode: int16,
        errorMessage: string.nullable(),
        resourceType: int8,
        resourceName: string,
        patternType: int8.or(3),
        principal: string,
        host: string,
        operation: int8,
        permissionType: int8,
      }),
    }),
  },
});
