// A hint for nested resources that the form does not create. The API takes them as `entities`; users add them later on
// the page of the resource.

import type { ResourceModel } from '../model.ts';
import { lower } from '../words.ts';
import { isNested } from './nested-resources.tsx';

export interface CreatedLaterProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
}

export function CreatedLater({ models, model }: CreatedLaterProps) {
  const titles = models
    .filter(({ service, parent }) => service === model.service && parent === model.collection)
    .filter(({ name, create, isReference }) => !isReference && isMade(create?.operation) && !isNested(model, name))
    .map((one) => one.titles);
  if (titles.length === 0) return null;
  return <p class="hint">{`Add ${listed(titles)} later on the page of the ${lower(model.title)}.`}</p>;
}

const isMade = (operation: string | undefined): boolean => operation?.endsWith('_create') === true;

// volumes, NICs and labels
function listed(titles: readonly string[]): string {
  const words = titles.map(lower);
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ');
}
