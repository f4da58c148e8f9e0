// The notice in the top bar that the lab has moved the region's clock, with a link to the lab.
import { aheadText } from './clock-ahead.ts';
import { regionClock } from './region-clock.ts';
import { labUrl } from './urls.ts';

export function ClockNotice() {
  const { offsetMs = 0, now = '' } = regionClock.value ?? {};
  if (offsetMs === 0) return null;
  return (
    <p class="clock">
      <a href={labUrl()} title={`Region time at the last update: ${now}`}>
        Clock moved: {aheadText(offsetMs)} ahead
      </a>
    </p>
  );
}
