/** Preloaded into a process: its clock begins at TEST_TIME. */
const now = Date.now;
const ahead = Date.parse(process.env.TEST_TIME ?? "") - now();
Date.now = () => now() + ahead;
