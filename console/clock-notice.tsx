// Tells in the top bar of every page that the lab has moved the region's clock, with a link to where it is moved.
import { aheadText } from './clock-ahead.ts';
import { regionClock } from './region-clock.ts';
import { labUrl } from './urls.ts';

export function ClockNotice() {
  const { offsetMs = 0, now = '' } = regionClock.value ?? {};
  if (offsetMs === 0) return null;
  return (
    <p class="clock">
      <a href={labUrl()} title={`The region’s time was ${now} when it was last asked.`}>
        Clock moved: {aheadText(offsetMs)} ahead
      </a>
    </p>
  );
}
