// A button, and the group of buttons at the end of a form, a row or a heading.
import type { ComponentChildren, Ref } from 'preact';

export interface ButtonProps {
  look?: 'plain' | 'danger'; // without one it is the main action of the page
  label?: string | undefined; // where the text alone does not say of what
  disabled?: boolean;
  hidden?: boolean;
  class?: string;
  takesFocus?: boolean; // in a dialog that opens
  onPress(): void;
  ref?: Ref<HTMLButtonElement>;
  children: ComponentChildren;
}

export function Button({ look, label, takesFocus, onPress, children, class: more, ...rest }: ButtonProps) {
  const classes = [look, more].filter(Boolean).join(' ');
  return (
    <button
      type="button"
      class={classes || undefined}
      aria-label={label}
      data-focus={takesFocus}
      onClick={onPress}
      {...rest}
    >
      {children}
    </button>
  );
}

export const Actions = ({ children }: { children: ComponentChildren }) => <div class="actions">{children}</div>;
