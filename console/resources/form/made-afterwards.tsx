// What a new thing can have in it and its form does not make: bodies take it as `entities`, people make it on its page.

import type { ResourceModel } from '../model.ts';
import { lower } from '../words.ts';
import { isMadeAlong } from './made-along.tsx';

export interface MadeAfterwardsProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
}

export function MadeAfterwards({ models, model }: MadeAfterwardsProps) {
  const titles = models
    .filter(({ service, parent }) => service === model.service && parent === model.collection)
    .filter(({ name, create, isReference }) => !isReference && isMade(create?.operation) && !isMadeAlong(model, name))
    .map((one) => one.titles);
  if (titles.length === 0) return null;
  return <p class="hint">{`${listed(titles)} are made afterwards, on the page of the ${lower(model.title)}.`}</p>;
}

const isMade = (operation: string | undefined): boolean => operation?.endsWith('_create') === true;

// Volumes, NICs and labels.
function listed([first = '', ...others]: readonly string[]): string {
  const words = [first, ...others.map(lower)];
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ');
}
