// Small texts: a time, a badge, the heading of a section with its actions.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { dateText } from '../times.ts';

export const Time = ({ iso }: { iso: string }) => <time dateTime={iso}>{dateText(iso)}</time>;

export interface BadgeProps {
  look: 'good' | 'here' | 'old' | 'waits' | 'fires';
  children: ComponentChildren;
}

export const Badge = ({ look, children }: BadgeProps) => <span class={`badge ${look}`}>{children}</span>;

export interface SectionProps {
  title: string;
  actions?: ComponentChildren;
  lead?: string;
  children: ComponentChildren;
}

export function Section({ title, actions, lead, children }: SectionProps) {
  const id = useId();
  return (
    <section class="part" aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>{title}</h2>
        {actions}
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children}
    </section>
  );
}
