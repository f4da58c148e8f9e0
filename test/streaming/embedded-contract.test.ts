// The contract of streaming engines on our own broker.
import { streamingContract } from './contract.ts';

streamingContract('the embedded broker', 'embedded');
