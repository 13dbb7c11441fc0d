// oxlint-disable typescript/consistent-type-definitions -- merged with TypeScript's own
/** What pages and workers have that TypeScript's DOM lacks, or has for workers alone. */
declare global {
  var WorkerGlobalScope: object | undefined;
  var WorkerNavigator: { prototype: object } | undefined;

  interface ErrorConstructor {
    captureStackTrace: (target: object, without: (...args: never[]) => unknown) => void;
  }

  interface Document {
    activeViewTransition: object | null;
  }

  interface Element {
    getHTML: (options: { shadowRoots: ShadowRoot[] }) => string;
  }
}

export {};
