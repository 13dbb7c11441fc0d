/** Words that leave a reader to find out which noun is meant. */
export const HOUSE_WORDS: readonly RegExp[];
