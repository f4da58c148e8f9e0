// A picture beside a text. All of them are symbols of one sprite that every page carries
// (src/surface/docs/pages/icons.svg); they take the colour of the text.

export type IconName =
  | 'overview'
  | 'requests'
  | 'activity'
  | 'limits'
  | 'costs'
  | 'lab'
  | 'monitoring'
  | 'playground'
  | 'token'
  | 'api'
  | 'plus'
  | 'search'
  | 'datacenter'
  | 'server'
  | 'network'
  | 'scaling'
  | 'image'
  | 'bucket'
  | 'stream'
  | 'logs'
  | 'dns'
  | 'certificate'
  | 'model'
  | 'users'
  | 'key'
  | 'folder'
  | 'file'
  | 'upload'
  | 'download'
  | 'link'
  | 'trash'
  | 'restore'
  | 'close';

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" aria-hidden="true">
    <use href={`#icon-${name}`} />
  </svg>
);
