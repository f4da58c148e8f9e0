// The server's error message for an expression, and the line with the error position marked.
import type { Place } from './marked-place.ts';

export const ExpressionProblem = ({ message, place }: { message: string; place: Place | undefined }) => (
  <>
    <p>{message}</p>
    {place && (
      <pre class="place">
        {place.line.slice(0, place.from)}
        <mark>{place.line.slice(place.from, place.to) || ' '}</mark>
        {place.line.slice(place.to)}
      </pre>
    )}
  </>
);
