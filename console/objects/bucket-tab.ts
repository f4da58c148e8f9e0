// The properties of each tab of a bucket's page.
import type { Session } from '../session.ts';
import type { Query } from './query.ts';

export interface BucketTabProps {
  bucket: string;
  query: Query;
  session: Session;
}
