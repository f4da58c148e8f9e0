// The overview. Unlike other pages it is not loaded on demand, because most visits start with it.
import type { Page } from '../router.ts';
import { OverviewPage } from './overview-page.tsx';

export const overviewPage: Page = { path: '/', title: 'Overview', view: OverviewPage };
