// A button that is an icon; its name is read out, and shown where the pointer rests.
import { Icon } from '../components/icon.tsx';
import type { IconName } from '../components/icon-names.ts';

export interface IconButtonProps {
  icon: IconName;
  label: string;
  disabled?: boolean;
  onPress(): void;
}

export const IconButton = ({ icon, label, disabled, onPress }: IconButtonProps) => (
  <button type="button" class="plain ob-icon" aria-label={label} title={label} disabled={disabled} onClick={onPress}>
    <Icon name={icon} />
  </button>
);
