// A placeholder while data is loaded, so that the layout does not move later.

export const Skeleton = ({ rows = 6, what }: { rows?: number; what: string }) => (
  <div class="skeleton" role="status">
    <span class="unseen">Loading {what} …</span>
    {Array.from({ length: rows }, (_, at) => (
      <span key={at} class="skeleton-row" aria-hidden="true" />
    ))}
  </div>
);
