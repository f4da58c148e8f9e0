// A button with an icon. Its name is read out, and shown as a tooltip.

import type { IconName } from '../../src/surface/docs/icon-names.ts';
import { Icon } from './icon.tsx';

export interface IconButtonProps {
  icon: IconName;
  label: string;
  disabled?: boolean;
  onPress(): void;
}

export const IconButton = ({ icon, label, disabled, onPress }: IconButtonProps) => (
  <button
    type="button"
    class="plain icon-button"
    aria-label={label}
    title={label}
    disabled={disabled}
    onClick={onPress}
  >
    <Icon name={icon} />
  </button>
);
