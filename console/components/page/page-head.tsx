// The head of a page: its title, and its actions at the top right, the main one last.
import { type ComponentChildren, render } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const slotId = 'head-actions';

export interface PageHeadProps {
  title: ComponentChildren;
  look?: string; // the CSS class of the title
  lead?: ComponentChildren;
  children?: ComponentChildren; // actions
}

export const PageHead = ({ title, look, lead, children }: PageHeadProps) => (
  <div class="head">
    <h1 tabIndex={-1} class={look}>
      {title}
    </h1>
    <div class="actions">
      {children}
      <HeadSlot />
    </div>
    {lead !== undefined && <p class="lead">{lead}</p>}
  </div>
);

export const HeadSlot = () => <div class="head-slot" id={slotId} />;

// Shows the actions of a tab or another part of the page in the head of the page.
export function HeadActions({ children }: { children: ComponentChildren }) {
  const slot = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => {
    slot.current ??= document.getElementById(slotId);
    if (slot.current) render(children, slot.current);
  });
  useLayoutEffect(() => () => void (slot.current && render(null, slot.current)), []);
  return null;
}
