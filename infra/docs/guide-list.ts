/** A page of the guide: a Markdown file, or its part from the heading `from` to the next page's. */
export type GuideEntry = { name: string; title: string; about: string; file: string; from?: string };

/** The pages of the guide by group, in their order. A long file makes several pages. */
export const guideList = {
  Start: [
    {
      name: 'api-guide',
      title: 'Calling the API',
      about: 'What may be scraped, plain or rendered pages, forms, and pages kept for later',
      file: 'docs/api-guide.md',
    },
    {
      name: 'jobs',
      title: 'Jobs and sites',
      about: 'Pages in the background, and the URLs of a site',
      file: 'docs/api-guide.md',
      from: 'Jobs',
    },
    {
      name: 'credits',
      title: 'Costs, errors and keys',
      about: 'What a page costs, limits, what to retry, large results, and what a key may do',
      file: 'docs/api-guide.md',
      from: 'What it costs',
    },
    {
      name: 'prices',
      title: 'Prices every night',
      about: 'A whole program: a shelf of a shop, each night',
      file: 'docs/prices.md',
    },
    {
      name: 'agents',
      title: 'Agents',
      about: 'Keys with caps, MCP, and a tool for a language model',
      file: 'docs/agents.md',
    },
    {
      name: 'accounts',
      title: 'Accounts',
      about: 'The dashboard, organizations and members',
      file: 'docs/accounts.md',
    },
  ],
  Pages: [
    {
      name: 'fields',
      title: 'Request fields',
      about: 'Each field of a scrape, and the headers of its response',
      file: 'docs/fields.md',
    },
    {
      name: 'outputs',
      title: 'What comes back',
      about: 'Markdown, text, links, metadata, and documents',
      file: 'docs/outputs.md',
    },
    {
      name: 'values',
      title: 'Values of a page',
      about: 'Values by rules, JSON by a schema, and what has changed',
      file: 'docs/outputs.md',
      from: 'Values by rules',
    },
    {
      name: 'pictures',
      title: 'Pictures and walls',
      about: 'Screenshots, PDFs, several formats at once, bot walls, and charsets',
      file: 'docs/outputs.md',
      from: 'Screenshots and PDF',
    },
    {
      name: 'scenarios',
      title: 'Scenarios',
      about: 'Clicks, forms and waits on a rendered page',
      file: 'docs/scenarios.md',
    },
    {
      name: 'scenario-reports',
      title: 'Reports of scenarios',
      about: 'What each step did, secrets, and scenarios of other services',
      file: 'docs/scenarios.md',
      from: 'The report of a scenario',
    },
    {
      name: 'fidelity',
      title: 'What a target sees',
      about: 'Headers, fingerprints and the clock of a page',
      file: 'docs/fidelity.md',
    },
  ],
  'In bulk': [
    {
      name: 'batches',
      title: 'Batches',
      about: 'Up to a million requests in one call',
      file: 'docs/batches.md',
    },
    { name: 'crawls', title: 'Crawls', about: 'All pages of a site', file: 'docs/crawls.md' },
    {
      name: 'webhooks',
      title: 'Webhooks',
      about: 'Signed events when work ends, and how they are retried',
      file: 'docs/webhooks.md',
    },
  ],
  Clients: [
    {
      name: 'typescript',
      title: 'TypeScript client',
      about: 'For Node.js, Bun, Deno and Workers',
      file: 'clients/typescript/README.md',
    },
    {
      name: 'python',
      title: 'Python client',
      about: 'The standard library alone, typed',
      file: 'clients/python/README.md',
    },
    {
      name: 'command-line',
      title: 'Command line',
      about: 'Scrapes, batches and crawls from a terminal, and MCP over stdio',
      file: 'clients/cli/README.md',
    },
    {
      name: 'firecrawl',
      title: 'Firecrawl clients',
      about: 'What works under /v2, and what differs',
      file: 'docs/firecrawl.md',
    },
  ],
} as const satisfies Record<string, readonly GuideEntry[]>;

export const guideEntries: readonly GuideEntry[] = Object.values(guideList).flat();
