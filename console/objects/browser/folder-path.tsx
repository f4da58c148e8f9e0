// The path of the folder, with a link to each parent folder.
import { bucketUrl } from '../../urls.ts';
import { crumbsOf, visible } from '../keys.ts';

export interface FolderPathProps {
  bucket: string;
  prefix: string;
  onFolder(prefix: string): void;
}

export function FolderPath({ bucket, prefix, onFolder }: FolderPathProps) {
  const crumbs = [{ name: bucket, prefix: '' }, ...crumbsOf(prefix)];
  return (
    <nav class="ob-crumbs ob-path" aria-label="Folder">
      {crumbs.map((crumb, at) => (
        <span key={crumb.prefix}>
          {at > 0 && <span class="ob-slash">/</span>}
          {at === crumbs.length - 1 ? (
            <span class="ob-key" aria-current="location">
              {visible(crumb.name)}
            </span>
          ) : (
            <a
              class="ob-key"
              href={bucketUrl(bucket, { prefix: crumb.prefix })}
              onClick={(event) => followWithin(event, () => onFolder(crumb.prefix))}
            >
              {visible(crumb.name)}
            </a>
          )}
        </span>
      ))}
    </nav>
  );
}

// Follows a link within this page without loading it again, unless the user opens it in another tab.
export function followWithin(event: MouseEvent, go: () => void): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go();
}
