// The kit that users import from the package as cumulet/testing.
export { CallError, type RegionOptions, startRegion } from '../../kit/index.ts';
