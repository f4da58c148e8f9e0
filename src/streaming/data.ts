// The data hooks of clusters: save points, checks and resets.
import type { DataHooks } from '../surface/product-data.ts';
import { isFrozenLogSegment } from './broker/log/segment.ts';
import { dropClusters } from './engine/drop.ts';
import { checkClusters } from './engine/embedded/check.ts';
import { copySettings } from './engine/embedded/copy-settings.ts';

export const streamingData: DataHooks = {
  check: async ({ path }) => ({ damage: await checkClusters(path) }),
  snapshot: { isFrozen: isFrozenLogSegment, copySettings },
  reset: {
    async empty({ path }) {
      await dropClusters(path);
      return undefined;
    },
  },
};
