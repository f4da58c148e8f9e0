// The first page. It is not loaded later, as others are: most visits begin with it.
import type { Page } from '../router.ts';
import { OverviewPage } from './overview-page.tsx';

export const overviewPage: Page = { path: '/', title: 'Overview', view: OverviewPage };
