// Which pipeline a question is for: the one that is named, or the only one there is.
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import { optional, type Sight, text } from '../tool.ts';
import { itemsOf, propertiesOf, quote, wordOf } from './inventory.ts';

export interface Pipeline {
  id: string;
  name: string;
  path: string;
}

export const pipelineArgument = (what: string) =>
  optional(
    text(`The ${what} pipeline, by id or exact name; "central" for the platform's own. Needed where there are several`),
  );

export async function pipelines({ api }: Sight, service: 'monitoring' | 'logging'): Promise<Pipeline[]> {
  const told = itemsOf(await api.object(service, '/pipelines', { limit: 1000 }));
  return told.map((item) => ({
    id: String(item.id),
    name: wordOf(propertiesOf(item).name),
    path: pathOf('/pipelines/{id}', { id: item.id ?? '' }),
  }));
}

// Undefined: it is switched off.
export async function central({ api }: Sight, service: 'monitoring' | 'logging'): Promise<Pipeline | undefined> {
  const told = itemsOf(await api.object(service, '/central'));
  const on = told.find((item) => propertiesOf(item).enabled === true);
  return on && { id: String(on.id), name: 'central', path: pathOf('/central/{id}', { id: on.id ?? '' }) };
}

export async function pipelineFor(
  sight: Sight,
  service: 'monitoring' | 'logging',
  asked: string | undefined,
): Promise<Pipeline> {
  if (asked === 'central') {
    const own = await central(sight, service);
    if (!own)
      throw new Failure(`Central ${service} is switched off: there is nothing of the platform's own to search.`);
    return own;
  }
  const all = await pipelines(sight, service);
  const found = asked === undefined ? all : all.filter(({ id, name }) => id === asked || name === asked);
  const [only] = found;
  if (only && found.length === 1) return only;
  const known = all.map(({ id, name }) => `${quote(name)} (${id})`).slice(0, 20);
  if (known.length === 0 && asked === undefined) {
    const own = await central(sight, service);
    if (own) return own;
  }
  throw new Failure(
    known.length === 0
      ? `There is no ${service} pipeline, and central ${service} is switched off.`
      : `Which pipeline? ${asked === undefined ? 'There are several' : `${quote(asked)} is not one, or several are called so`}: ${known.join(', ')}, or "central".`,
  );
}
