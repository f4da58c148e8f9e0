// Times in S3's documents: ISO 8601 with a zone, or only a day (midnight UTC).

// Returns milliseconds, or undefined if the text is not such a time.
export function instant(text: string): number | undefined {
  const form = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?$/;
  const time = form.test(text) ? Date.parse(text) : Number.NaN;
  const isReal =
    !Number.isNaN(time) && new Date(Date.parse(text.slice(0, 10))).toISOString().startsWith(text.slice(0, 10));
  return isReal ? time : undefined;
}
