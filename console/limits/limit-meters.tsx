// A bar for the usage of each limit.
import { type Limit, shareText } from './limits-model.ts';

export const LimitMeters = ({ limits }: { limits: readonly Limit[] }) => (
  <ul class="limits-meters">
    {limits.map(({ title, used, most, share, look }) => (
      <li key={title}>
        <span class="limits-title">{title}</span>
        <span class="limits-figures">
          <strong>{used}</strong> of {most}
        </span>
        <span class={`meter ${look}`} aria-hidden="true">
          <span style={{ width: `${Math.min(100, share > 0 ? Math.max(share * 100, 0.5) : 0)}%` }} />
        </span>
        <small class={look}>{shareText(share)}</small>
      </li>
    ))}
  </ul>
);
