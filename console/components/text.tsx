// Small text components: a time, a badge, a text with a note, and a section with heading and actions.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { dateText } from '../times.ts';
import { HeadActions } from './page/page-head.tsx';

export const Time = ({ iso, note }: { iso: string; note?: string }) => (
  <>
    <time dateTime={iso}>{dateText(iso)}</time>
    {note !== undefined && <small> {note}</small>}
  </>
);

export interface BadgeProps {
  look: 'good' | 'here' | 'old' | 'waits' | 'fires';
  text: string;
}

export const Badge = ({ look, text }: BadgeProps) => <span class={`badge ${look}`}>{text}</span>;

// A line with a smaller note below.
export const Noted = ({ children, note }: { children: ComponentChildren; note: ComponentChildren }) => (
  <>
    {children}
    {note && <small>{note}</small>}
  </>
);

export interface SectionProps {
  title: string;
  main?: ComponentChildren; // the main action of the page, in its head
  actions?: ComponentChildren;
  lead?: string;
  children: ComponentChildren;
}

export function Section({ title, main, actions, lead, children }: SectionProps) {
  const id = useId();
  return (
    <section class="part" aria-labelledby={id}>
      {main && <HeadActions>{main}</HeadActions>}
      <div class="head">
        <h2 id={id}>{title}</h2>
        {actions}
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children}
    </section>
  );
}
