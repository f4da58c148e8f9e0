// The regions, images and templates of a catalogue, for callers that open no region.
import type { RegionOffer } from '../../surface/product.ts';
import { catalogue, imageAt, loadCatalogue } from './catalogue.ts';

export function regionOffer(file: string | undefined): RegionOffer {
  loadCatalogue(file);
  const { regions, defaultRegion, templates } = catalogue;
  return {
    regions: { all: regions, home: defaultRegion },
    image: (location, idOrAlias) => imageAt(location, idOrAlias)?.id,
    templates,
  };
}
