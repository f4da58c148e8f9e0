// The declared resources, for tests that derive their cases from them: a resource that is added is tested too.
import type { Resource } from '../../core/resource.ts';
import { accessKey } from '../../objects/management/access-key.ts';
import { declaredResources } from '../../products.ts';

// Access keys have the tests of the S3 interface.
export const resources: readonly Resource[] = (await declaredResources()).filter(({ name }) => name !== accessKey.name);

export type { Values } from '../../base/json.ts';
export { byUuid, type Neighbour, type Resource } from '../../core/resource.ts';
export { sampleProperties } from '../../core/sample.ts';
export { operations as s3Operations } from '../../objects/operations/operations.ts';
