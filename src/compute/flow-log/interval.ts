// Flows are captured and published by intervals of ten minutes of the region's clock. An interval is a number: how many
// have passed since 1970.
export const intervalMs = 600_000;

export const intervalAt = (timeMs: number): number => Math.floor(timeMs / intervalMs);
export const startSeconds = (interval: number): number => (interval * intervalMs) / 1000;
export const endSeconds = (interval: number): number => startSeconds(interval + 1);
export const hasEnded = (interval: number, nowMs: number): boolean => intervalAt(nowMs) > interval;
