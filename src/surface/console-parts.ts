// The parts that a product adds to the web console, in addition to its resources.
import type { IconName } from './docs/icon-names.ts';

export interface ConsoleParts {
  pages?: readonly ConsolePage[]; // in the navigation
  // Of words in paths and in the audit that belong to no declared resource: `dnsseckey`, `axfr`.
  titles?: Readonly<Record<string, string>>;
}

// A page of the navigation: the list of a collection, or a separate page. The console adds the collections that no
// product lists (src/console/navigation.ts), so a new resource needs no page here.
export interface ConsolePage {
  title: string;
  group: string; // Compute, Network, …
  icon?: IconName;
  address?: string; // below /console, of a separate page; absent: that of the collection
  collection?: readonly [service: string, path: string];
  words?: string; // further words to find it by
  among?: string; // its title among the pages of its kind, if it is another one
  under?: string; // the title of the page that it is of the same kind as
  counted?: CountedPage; // on the overview
  leadsToOthers?: boolean; // collections of its service that no product lists are of its kind
}

// How many of its resources exist.
export interface CountedPage {
  title?: string; // absent: that of the page
  privilege?: string; // needed to read the list
  path?: string; // of the list at the gateway; absent: of the collection
}
