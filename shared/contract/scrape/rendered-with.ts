import { takesPictures } from './js-scenario.ts';
import { picturesIn } from './picture.ts';
import type { ScrapeRequest } from './scrape-request.ts';

type Asked = Pick<ScrapeRequest, 'format' | 'formats' | 'screenshot' | 'pdf' | 'jsScenario'>;

/** What the browser is to do for the pictures of a request: images and fonts belong to them. */
export function renderedWith({ screenshot = {}, pdf = {}, jsScenario, ...asked }: Asked) {
  const pictures = picturesIn(asked);
  return {
    screenshot: pictures.includes('screenshot') ? screenshot : undefined,
    pdf: pictures.includes('pdf') ? pdf : undefined,
    ...((pictures.length > 0 || takesPictures(jsScenario)) && { blockResources: false }),
  };
}
