// The state words of clusters, topics and users in the API.
import type { StateWords } from '../../core/resource.ts';

export const stateWords: Partial<StateWords> = {
  name: 'state',
  message: 'message',
  creating: 'DEPLOYING',
  busy: 'BUSY',
};
