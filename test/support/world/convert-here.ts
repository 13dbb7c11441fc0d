import { notConvertible } from '../../../shared/adapters/thread-converter.ts';
import { convertCompared } from '../../../shared/output/convert-compared.ts';
import { NotConvertible } from '../../../shared/contract/scrape/not-convertible.ts';
import type { Convert } from '../../../shared/ports/scrape.ts';
import { step } from './step.ts';

/** Converts in the thread of the test. */
export const convertHere: Convert = (page) =>
  step(() => {
    try {
      return convertCompared(page);
    } catch (error) {
      throw error instanceof NotConvertible ? notConvertible(error.obstacle, error.message) : error;
    }
  });
