// The tiny model passes the contract of the inference engines.
import { inferenceContract } from '../contract/contract.ts';
import { tinySource } from './source.ts';

const models = { text: 'any/chat', embedding: 'any/embedding', image: 'any/image' };
inferenceContract('tiny', async () => ({ source: tinySource() }), models);
