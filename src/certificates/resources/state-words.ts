// The texts of the states of certificates, providers and auto-certificates.
import type { StateWords } from '../../core/resource.ts';

export const stateWords: Partial<StateWords> = { name: 'state', message: 'message' };
