/**
 * `npm run test:full`, before a release: every file, every engine with every dialect, every npm. `npm test` stays below ten minutes on a busy
 * machine, and omits `*.full.test.ts` and combinations that hardly ever fail alone.
 */
export const isFull = process.env.MAINLINE_TEST_FULL === '1'
