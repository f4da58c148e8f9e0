// Runs the contract suite of streaming engines on our own broker.
import { streamingContract } from '../contract/contract.ts';

streamingContract('the embedded broker', 'embedded');
