// Models and schemas, for tests that add models and ask them.
export { samples } from '../../inference/engines/llama/grammar/testing-schemas.ts';
export { schemas } from '../../inference/engines/tiny/testing-schemas.ts';
export { readHeader, type Typed, writeGguf } from '../../inference/models/gguf.ts';
export { ModelRegistry, type Weights, weightsOf } from '../../inference/models/registry.ts';
export { mostChunks } from '../../inference/native/collection.ts';
