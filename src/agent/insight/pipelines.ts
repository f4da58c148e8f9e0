// Chooses the pipeline for a question: the one that is named, or the only one that exists.
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import { optional, type ToolContext, text } from '../tool.ts';
import { itemsOf, propertiesOf, quote, wordOf } from './inventory.ts';

export interface Pipeline {
  id: string;
  name: string;
  path: string;
}

export const pipelineArgument = (what: string) =>
  optional(
    text(`The ${what} pipeline, by id or exact name; "central" for the platform's own. Required if there are several`),
  );

export async function pipelines({ api }: ToolContext, service: 'monitoring' | 'logging'): Promise<Pipeline[]> {
  const answer = itemsOf(await api.object(service, '/pipelines', { limit: 1000 }));
  return answer.map((item) => ({
    id: String(item.id),
    name: wordOf(propertiesOf(item).name),
    path: pathOf('/pipelines/{id}', { id: item.id ?? '' }),
  }));
}

// Undefined if it is switched off.
export async function central({ api }: ToolContext, service: 'monitoring' | 'logging'): Promise<Pipeline | undefined> {
  const answer = itemsOf(await api.object(service, '/central'));
  const on = answer.find((item) => propertiesOf(item).enabled === true);
  return on && { id: String(on.id), name: 'central', path: pathOf('/central/{id}', { id: on.id ?? '' }) };
}

export async function pipelineFor(
  context: ToolContext,
  service: 'monitoring' | 'logging',
  idOrName: string | undefined,
): Promise<Pipeline> {
  if (idOrName === 'central') {
    const own = await central(context, service);
    if (!own) throw new Failure(`Central ${service} is switched off, so the platform's own data can't be searched.`);
    return own;
  }
  const all = await pipelines(context, service);
  const found = idOrName === undefined ? all : all.filter(({ id, name }) => id === idOrName || name === idOrName);
  const [only] = found;
  if (only && found.length === 1) return only;
  const known = all.map(({ id, name }) => `${quote(name)} (${id})`).slice(0, 20);
  if (known.length === 0 && idOrName === undefined) {
    const own = await central(context, service);
    if (own) return own;
  }
  throw new Failure(
    known.length === 0
      ? `The contract has no ${service} pipeline, and central ${service} is switched off.`
      : `Which pipeline? ${idOrName === undefined ? 'There are several' : `${quote(idOrName)} does not exist, or several have this name`}. Choose one: ${known.join(', ')}, or "central".`,
  );
}
