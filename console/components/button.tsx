// A button, the group of buttons at the end of a form or a heading, and those of a row of a table.
import type { ComponentChildren, Ref } from 'preact';

export interface ButtonProps {
  text: string;
  look?: 'plain' | 'danger'; // without one it is the main action of the page
  label?: string; // where the text alone does not say of what
  disabled?: boolean;
  hidden?: boolean;
  takesFocus?: boolean; // in a dialog that opens
  onPress(): void;
  ref?: Ref<HTMLButtonElement>;
}

export const Button = ({ text, look, label, takesFocus, onPress, ...rest }: ButtonProps) => (
  <button
    type="button"
    class={look}
    aria-label={label}
    data-focus={takesFocus || undefined}
    onClick={onPress}
    {...rest}
  >
    {text}
  </button>
);

export const Actions = ({ children }: { children: ComponentChildren }) => <div class="actions">{children}</div>;

export type Action = readonly [text: string, onPress: () => void, label?: string];

// `of`: what the row shows, for the labels of its buttons.
export const RowActions = ({ of, actions }: { of: string; actions: readonly Action[] }) => (
  <span class={actions.length > 2 ? 'actions' : 'actions pair'}>
    {actions.map(([text, onPress, label = text]) => (
      <Button key={text} text={text} look="plain" label={`${label} ${of}`} onPress={onPress} />
    ))}
  </span>
);
