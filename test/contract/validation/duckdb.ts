import { open } from 'recurve';
import { type Adaptation, adaptations, inSql, inUnit, without } from './adapt.ts';
import type { Adjustment, ValidationHarness } from './runner.ts';

const views = { reason: 'recurve has no view types of Arrow' };
const plainBlob = { reason: 'a BLOB of DuckDB has no length', adapt: inSql(/VARBINARY\(\d+\)/, 'BLOB') };
const nanosecondsWithZone = { reason: 'DuckDB has no type for an instant in nanoseconds' };
const endsOfInt64 = 'the ends of int64 mean infinity in a TIMESTAMP_NS of DuckDB, and are left out';

/** DuckDB's TIME has microseconds, whatever it is given. */
function time(from: string, factor: bigint, adapt: Adaptation = (parts) => parts): Adjustment {
  return { reason: 'a TIME of DuckDB has microseconds', adapt: adaptations(adapt, inUnit(from, 'ttu', factor)) };
}

/** So has its TIMESTAMP WITH TIME ZONE. */
function zoned(from: string, factor: bigint): Adjustment {
  return {
    reason: 'a TIMESTAMP WITH TIME ZONE of DuckDB takes no precision and has microseconds',
    adapt: adaptations(inSql(/TIMESTAMP\(\d\) WITH/, 'TIMESTAMP WITH'), inUnit(from, 'tsu:UTC', factor)),
  };
}

const plainTime = inSql(/TIME\(\d\)/, 'TIME');
const nanosecondLiterals = inSql(/TIMESTAMP '/, "TIMESTAMP_NS '");

/** DuckDB in this process. */
export const duckdbValidation: ValidationHarness = {
  name: 'duckdb',
  open: () => open('duckdb:'),
  setup: ["SET TimeZone = 'UTC'"],
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  adjustments: {
    'ingest/binary_view': views,
    'ingest/decimal_scale_negative': { reason: 'the scale of a DECIMAL of DuckDB is never negative' },
    'ingest/time_ms': time('ttm', 1000n),
    'ingest/time_s': time('tts', 1_000_000n),
    'ingest/timestamp_ns': { reason: endsOfInt64, adapt: without(/922337203685477580[78]/, 2) },
    'ingest/timestamptz_ms': {
      reason: 'a TIMESTAMP WITH TIME ZONE of DuckDB has microseconds',
      adapt: inUnit('tsm:UTC', 'tsu:UTC', 1000n),
    },
    'type/bind/binary': plainBlob,
    'type/bind/binary_view': views,
    'type/bind/large_binary': plainBlob,
    'type/bind/string_view': views,
    'type/bind/time_ms': time('ttm', 1000n, plainTime),
    'type/bind/time_ns': { reason: 'a TIME of DuckDB takes no precision', adapt: inSql(/TIME\(9\)/, 'TIME_NS') },
    'type/bind/time_s': time('tts', 1_000_000n, plainTime),
    'type/bind/time_us': { reason: 'a TIME of DuckDB takes no precision', adapt: plainTime },
    'type/bind/timestamptz_ms': zoned('tsm:UTC', 1000n),
    'type/bind/timestamptz_ns': nanosecondsWithZone,
    'type/bind/timestamptz_s': zoned('tss:UTC', 1_000_000n),
    'type/bind/timestamptz_us': zoned('tsu:UTC', 1n),
    'type/select/binary': {
      reason: "bytes in hexadecimal are from_hex('…') in DuckDB",
      adapt: inSql(/X('[0-9a-f]*')/, 'from_hex($1)'),
    },
    'type/select/jsonb': { reason: 'JSONB is JSON in DuckDB', adapt: inSql(/JSONB/, 'JSON') },
    'type/select/timestamp0tz': zoned('tss:UTC', 1_000_000n),
    'type/select/timestamp3tz': zoned('tsm:UTC', 1000n),
    'type/select/timestamp4tz': zoned('tsu:UTC', 1n),
    'type/select/timestamp5tz': zoned('tsu:UTC', 1n),
    'type/select/timestamp7': {
      reason: 'a literal of nanoseconds is TIMESTAMP_NS in DuckDB',
      adapt: nanosecondLiterals,
    },
    'type/select/timestamp7tz': nanosecondsWithZone,
    'type/select/timestamp8tz': nanosecondsWithZone,
    'type/select/timestamp9': {
      reason: `a literal of nanoseconds is TIMESTAMP_NS in DuckDB; ${endsOfInt64}`,
      adapt: adaptations(nanosecondLiterals, without(/16\.854775807|43\.145224192|922337203685477580[78]/, 2)),
    },
    'type/select/timestamp9tz': nanosecondsWithZone,
  },
};
