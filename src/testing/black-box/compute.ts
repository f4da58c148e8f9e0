// How the objects of flow logs are read.
export { recordsIn } from '../../compute/flow-log/testing.ts';
