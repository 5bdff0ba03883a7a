import { open } from 'recurve';

const database = await open({ uri: 'duckdb:', threads: '2' }, { timeoutMs: 10_000 });
await database.close();