import type { Binding } from '../binding.ts';

/** The bindings' handles, named from what their functions give. */
export type NativeResult = Awaited<ReturnType<Binding['execute_prepared_streaming']>>;
export type NativeConnection = Awaited<ReturnType<Binding['connect']>>;
export type NativePrepared = Awaited<ReturnType<Binding['prepare']>>;
export type NativeChunk = NonNullable<Awaited<ReturnType<Binding['fetch_chunk']>>>;
export type NativeVector = ReturnType<Binding['data_chunk_get_vector']>;
export type NativeType = ReturnType<Binding['column_logical_type']>;
