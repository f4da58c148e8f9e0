// The texts of the states of DNS resources.
import type { StateWords } from '../../core/resource.ts';

export const stateWords: Partial<StateWords> = { name: 'state', message: 'message' };
