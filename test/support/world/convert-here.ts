import { notConvertible } from '../../../shared/adapters/thread-converter.ts';
import { convertPage } from '../../../shared/output/convert-page.ts';
import { NotConvertible } from '../../../shared/contract/scrape/not-convertible.ts';
import type { Convert } from '../../../shared/ports/scrape.ts';
import { step } from './step.ts';

/** Converts in the thread of the test. */
export const convertHere: Convert = async (page) => {
  await step(() => undefined);
  try {
    return await convertPage(page);
  } catch (error) {
    throw error instanceof NotConvertible ? notConvertible(error.obstacle, error.message) : error;
  }
};
