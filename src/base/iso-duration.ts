// ISO 8601 durations such as PT5M, of days, hours, minutes and seconds. Clients of Go also send `5m` and `120s`.

const form = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const goForm = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;

// In ms; undefined: the text is no such duration.
export function durationMs(text: string): number | undefined {
  const found = form.exec(text);
  if (!found || text === 'P' || text.endsWith('T')) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((one) => Number(one ?? 0));
  return Math.round(((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000);
}

// Converts a duration as Go writes it to ISO 8601; any other text is returned unchanged.
export function isoDuration(text: string): string {
  const found = text === '' ? null : goForm.exec(text);
  if (!found) return text;
  const [hours, minutes, seconds] = found.slice(1);
  return `PT${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${seconds ? `${seconds}S` : ''}`;
}
