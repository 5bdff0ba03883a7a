import type { Driver } from '../../adbc/spi.ts';
import { readConnectSettings } from './connect/index.ts';
import { PostgresDatabase } from './database.ts';
import { decodeOptionNames, parseDecodeOptions } from './decode/option.ts';

/**
 * The driver for PostgreSQL 10 and later, and what speaks its protocol: binary results straight to columns, over sockets of
 * its own. `docs/postgres.md` has URIs, options, parameters and errors.
 */
export const driver: Driver = {
  name: 'postgres',
  open: async (options, { password }) => {
    const { connect, own } = readConnectSettings(options, { ownOptions: decodeOptionNames, password });
    return new PostgresDatabase(connect, parseDecodeOptions(own));
  },
};
