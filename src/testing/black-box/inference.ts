// Models and schemas, for tests that add models and ask them.
export { silent } from '../../base/log.ts';
export { inferenceContract } from '../../inference/engines/contract/contract.ts';
export { samples } from '../../inference/engines/llama/grammar/testing-schemas.ts';
export { openLlama } from '../../inference/engines/llama/source.ts';
export { schemas } from '../../inference/engines/tiny/testing-schemas.ts';
export { upstreamSource } from '../../inference/engines/upstream/source.ts';
export { readHeader, type Typed, writeGguf } from '../../inference/models/gguf.ts';
export { ModelRegistry, type Weights, weightsOf } from '../../inference/models/registry.ts';
export { mostChunks } from '../../inference/native/collection.ts';
