import { takesPictures } from './js-scenario.ts';
import { picturesIn } from './picture.ts';
import type { ScrapeRequest } from './scrape-request.ts';

type Asked = Pick<ScrapeRequest, 'format' | 'formats' | 'screenshot' | 'pdf' | 'jsScenario'>;

/** The fields for the browser. A request with pictures needs images and fonts. */
export function renderedWith({ screenshot = {}, pdf = {}, jsScenario, ...asked }: Asked) {
  const pictures = picturesIn(asked);
  return {
    screenshot: pictures.includes('screenshot') ? screenshot : undefined,
    pdf: pictures.includes('pdf') ? pdf : undefined,
    ...((pictures.length > 0 || takesPictures(jsScenario)) && { blockResources: false }),
  };
}
