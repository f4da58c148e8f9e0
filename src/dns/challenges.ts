// Records that prove to a CA who controls a name. They are ordinary changes, so limits, serials and the audit apply,
// and the name server answers with them at once.
import { uuid } from '../base/ids.ts';
import { actorOf } from '../core/access.ts';
import { creationOf, removalOf } from '../core/operation/draft.ts';
import { performChange } from '../core/operation/perform-change.ts';
import type { Draft, Resource } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { Machinery } from '../surface/machinery.ts';
import type { ChallengeRecords } from '../surface/ports.ts';
import { enclosingZone, nameConflict } from './zones/name-ownership.ts';
import { type RecordValues, record } from './zones/record.ts';
import { zone } from './zones/zone.ts';

const ttl = 60;

export function challengesIn(machinery: Machinery): ChallengeRecords {
  const { store } = machinery;

  async function perform(of: Row, path: string, method: string, operation: string, draft: () => Draft): Promise<void> {
    const info = { id: uuid(), method, url: `/${path}`, headers: {}, address: '', host: '', service: 'dns' };
    await performChange(machinery, {
      requestInfo: { ...info, operation, caller: actorOf(of) },
      bounds: await machinery.bounds(of.contract),
      sentBody: '',
      wait: { isAbandoned: () => false },
      draft,
    });
  }

  return {
    conflict: (contract, names) => nameConflict(store, contract, names),

    async zone(contract, name) {
      const enclosing = await enclosingZone(store, name);
      const row = enclosing?.contract === contract ? await store.at(contract, enclosing.path) : undefined;
      const isServed = row?.kind === zone.name && row.state === 'AVAILABLE' && isEnabled(row);
      return isServed ? enclosing?.path : undefined;
    },

    async put(of, path, name, text) {
      if (await store.at(of.contract, path)) return;
      const above = await store.at(of.contract, zonePath(path));
      if (!above) return;
      const { zoneName } = JSON.parse(above.body) as { zoneName: string };
      const values: RecordValues = {
        name: name.slice(0, -zoneName.length - 1),
        type: 'TXT',
        content: `"${text}"`,
        ttl,
        enabled: true,
      };
      const id = path.slice(path.lastIndexOf('/') + 1);
      await perform(of, path, 'PUT', 'record_create', () =>
        creationOf(record as Resource, actorOf(of), [above], { ...values }, id),
      );
    },

    async remove(of, path) {
      const [row, above] = await Promise.all([store.at(of.contract, path), store.at(of.contract, zonePath(path))]);
      if (row && above)
        await perform(of, path, 'DELETE', 'record_remove', () =>
          removalOf(record as Resource, actorOf(of), [above], row),
        );
    },
  };
}

const zonePath = (path: string): string => path.slice(0, path.lastIndexOf('/', path.lastIndexOf('/') - 1));
const isEnabled = ({ body }: Row): boolean => (JSON.parse(body) as { enabled: boolean }).enabled;
