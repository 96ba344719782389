/** Whether the tests run with full counts, and those that others prove on a lower level: CONTRIBUTING.md. */
export const isLong = process.env.LONG === '1';
