import { InvalidSelector } from '../page/find.ts';

/** Why an instruction could not be done, in words for its caller. */
export class StepFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StepFailure';
  }
}

/** The error's message is meant for the caller. */
export const isExplained = (error: unknown): error is Error =>
  error instanceof StepFailure || error instanceof InvalidSelector;
