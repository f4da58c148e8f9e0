// A QR code, drawn as one path. It is dark on light in every theme, because some apps can't read inverted codes.
import { encode } from 'uqr';

export const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { size, data } = encode(text, { ecc: 'M', border: 3 });
  return (
    <svg class="account-qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={pathOf(data)} />
    </svg>
  );
};

// Adjacent dark modules of a row become one rectangle.
function pathOf(rows: readonly (readonly boolean[])[]): string {
  const pieces: string[] = [];
  for (const [y, row] of rows.entries())
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const from = x;
      while (row[x + 1]) x++;
      const width = x + 1 - from;
      pieces.push(`M${from} ${y}h${width}v1h-${width}z`);
    }
  return pieces.join('');
}
