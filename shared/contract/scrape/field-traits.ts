import { z } from 'zod';

type Traits = {
  /** Not taken in a query string: URLs end up in logs. */
  in?: 'body';
  /** May hold a secret of the caller, so activity leaves it out. */
  secret?: true;
  /** The same page comes back, whatever its value. */
  shapesPage?: false;
};

/** What is known of the fields of a scrape beside their schema. `meta` would show it in OpenAPI. */
export const traits = z.registry<Traits>();
