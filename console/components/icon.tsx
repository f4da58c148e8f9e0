// An icon. All icons are symbols of one sprite in every page (src/surface/docs/icons.ts). They have the colour of the
// text.

import type { IconName } from '../../src/surface/docs/icon-names.ts';

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" aria-hidden="true">
    <use href={`#icon-${name}`} />
  </svg>
);
