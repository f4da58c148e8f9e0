// For tests with real machines: the contract suites, the Docker engines and how their image is built.
export { diskContract, machineContract } from '../../compute/machine/contract/machines.ts';
export { buildDebian } from '../../compute/machine/docker/build-debian.ts';
export { dockerBench, loadImage } from '../../compute/machine/docker/testing.ts';
