/** The host of a URL, with its port if that is not the default of the scheme: crawls are polite to each. */
export const targetHostOf = (url: string): string => new URL(url).host;
