// All pages of the console. The first page whose path matches is shown.
import { accountPages } from './account/pages.ts';
import { activityPages } from './activity/pages.ts';
import { costsPages } from './costs/pages.ts';
import { designPages } from './design/pages.ts';
import { inferencePages } from './inference/pages.ts';
import { labPages } from './lab/pages.ts';
import { limitsPages } from './limits/pages.ts';
import { logsPages } from './logs/pages.tsx';
import { monitoringPages } from './monitoring/pages.tsx';
import { objectPages } from './objects/pages.tsx';
import { overviewPage } from './overview/pages.ts';
import { requestsPages } from './requests/pages.ts';
import { resourcePages } from './resources/pages.ts';
import type { Page } from './router.ts';
import { tokensPage } from './tokens/tokens-page.tsx';

export const pages: readonly Page[] = [
  overviewPage,
  tokensPage,
  ...accountPages,
  ...monitoringPages,
  ...logsPages,
  ...inferencePages,
  ...requestsPages,
  ...activityPages,
  ...limitsPages,
  ...costsPages,
  ...labPages,
  ...designPages,
  ...objectPages,
  ...resourcePages,
];
