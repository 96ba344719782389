import * as fc from 'fast-check';

// Every run tries the same cases, so that what failed once fails again; the long run looks for others, and prints its seed.
if (process.env.LONG !== '1') fc.configureGlobal({ seed: 20_261_115 });
