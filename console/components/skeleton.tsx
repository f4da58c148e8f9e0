// The room of what is being loaded, so that nothing moves when it comes.

export const Skeleton = ({ rows = 6, what }: { rows?: number; what: string }) => (
  <div class="skeleton" role="status">
    <span class="unseen">Getting {what} …</span>
    {Array.from({ length: rows }, (_, at) => (
      <span key={at} class="skeleton-row" aria-hidden="true" />
    ))}
  </div>
);
