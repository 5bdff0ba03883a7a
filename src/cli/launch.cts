#!/usr/bin/env node
// CommonJS, since Node reads an ES module through libuv's thread pool, whose size is settled by its first use.
process.env.UV_THREADPOOL_SIZE ??= '16';
void import('./main.ts');
