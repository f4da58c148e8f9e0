// A picture beside a text. All of them are symbols of one sprite that every page carries
// (src/surface/docs/pages/icons.svg); they take the colour of the text.

import type { IconName } from './icon-names.ts';

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" aria-hidden="true">
    <use href={`#icon-${name}`} />
  </svg>
);
