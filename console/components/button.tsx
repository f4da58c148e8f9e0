// A button, a button with only an icon, the group of buttons of a form or heading, and the buttons of a table row.
import type { ComponentChildren, Ref } from 'preact';
import type { IconName } from '../../src/surface/docs/icon-names.ts';
import { Icon } from './icon.tsx';

export interface ButtonProps {
  text: string;
  icon?: IconName;
  look?: 'plain' | 'danger'; // default: the main action of the page
  label?: string; // for screen readers, if the text alone is ambiguous
  disabled?: boolean;
  obstacle?: string | undefined; // why it is not possible: the button stays focusable and shows the reason
  hidden?: boolean;
  takesFocus?: boolean; // when a dialog opens
  isPressed?: boolean; // of a button that switches something
  onPress(): void;
  ref?: Ref<HTMLButtonElement>;
}

export const Button = ({ text, icon, look, label, obstacle, takesFocus, isPressed, onPress, ...rest }: ButtonProps) => (
  <button
    type="button"
    class={icon ? ['button', look].filter(Boolean).join(' ') : look}
    aria-label={obstacle === undefined ? label : `${label ?? text}. ${obstacle}`}
    aria-disabled={obstacle === undefined ? undefined : true}
    aria-pressed={isPressed}
    data-reason={obstacle}
    data-focus={takesFocus || undefined}
    onClick={obstacle === undefined ? onPress : undefined}
    {...rest}
  >
    {icon && <Icon name={icon} />}
    {text}
  </button>
);

// Its name is read out, and shown as a tooltip.
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

export const Actions = ({ children }: { children: ComponentChildren }) => <div class="actions">{children}</div>;

export type Action = readonly [
  text: string,
  onPress: () => void,
  label?: string | undefined,
  obstacle?: string | undefined,
];

// `of` names the row in the labels of its buttons.
export const RowActions = ({ of, actions }: { of: string; actions: readonly Action[] }) => (
  <span class={actions.length > 2 ? 'actions' : 'actions pair'}>
    {actions.map(([text, onPress, label = text, obstacle]) => (
      <Button key={text} text={text} look="plain" label={`${label} ${of}`} obstacle={obstacle} onPress={onPress} />
    ))}
  </span>
);
