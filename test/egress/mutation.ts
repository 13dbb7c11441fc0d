/** One flag, range or check to remove, and the test that must then fail. */
export type Mutation = { file: string; text: string; becomes: string; test: string; case: string };

export const inFile =
  (file: string, test: string) =>
  (text: string, becomes: string, title: string): Mutation => ({ file, text, becomes, test, case: title });
