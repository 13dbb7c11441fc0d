import type { DocumentFacts, DocumentWanted } from '../../contract/scrape/document.ts';

export type Wanted = DocumentWanted & { contentType?: string | undefined };

/** A document as one page of HTML. */
export type Reading = DocumentFacts & { html: string };

export type Reader = (bytes: Uint8Array, wanted: Wanted) => Reading | Promise<Reading>;
