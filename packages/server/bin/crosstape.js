#!/usr/bin/env node
// Committed, so that it is there to be linked before the build has made what it runs.
import '../dist/main.js';
