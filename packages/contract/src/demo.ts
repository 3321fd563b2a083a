/**
 * Ids that are random elsewhere, fixed in the demo estate so that the examples of the API document can name them. The second of each pair is deleted
 * by an example.
 */
export const demo = {
  business: 3,
  queries: ['c0ffee00000000000000', 'c0ffee00000000000001'],
  groups: ['c0ffee0000000000000g', 'c0ffee0000000000001g'],
  favourites: ['c0ffee0000000000000f', 'c0ffee0000000000001f'],
} as const
