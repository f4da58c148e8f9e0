// GPU cards of a GPU server. They come with its template and can't be changed, so they have no rows: the server stores
// its cards, and each card's id is derived from the server's.
import type { Values } from '../../base/json.ts';
import { type Draft, pathOf, resource } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { type CatalogueTemplate, gpusAt, namedUuid } from '../catalogue/catalogue.ts';
import { datacenter } from '../datacenter.ts';
import { refused } from '../lan/address-claims.ts';

export const gpu = resource({
  name: 'gpu',
  plural: 'gpus',
  parents: [datacenter],
  rights: { create: 'none' },
  verbs: [],
  shown: { title: 'GPU', inside: false, columns: ['name', 'vendor', 'model'] },
  lifecycle: { composite: false },
  properties: { name: text(), vendor: text(), model: text(), type: text() },
});

// Only a location with such cards can have the server.
export function installGpus(draft: Draft, { gpus }: CatalogueTemplate): void {
  const { location } = JSON.parse((draft.parents[0] as Row).body) as { location: string };
  for (const { vendor, model } of gpus)
    if (!gpusAt(location).some((one) => one.vendor === vendor && one.model === model))
      throw refused(draft, 'templateUuid', `Location ${location} has no GPU ${vendor} ${model}`);
  draft.hidden.gpus = gpus;
}

export function installedGpus(server: Row): Row[] {
  if (!server.hidden.includes('"gpus":')) return [];
  const { gpus = [] } = JSON.parse(server.hidden) as { gpus?: CatalogueTemplate['gpus'] };
  const cards = gpus.flatMap(({ count, ...card }) => Array<Omit<typeof card, 'count'>>(count).fill(card));
  return cards.map((card, index) => ({
    ...server,
    place: `${pathOf(server)}/gpus`,
    id: namedUuid(`gpu:${server.id}:${index}`),
    kind: gpu.name,
    body: JSON.stringify({ name: `${card.model} ${index + 1}`, ...card } satisfies Values),
    hidden: '',
  }));
}
