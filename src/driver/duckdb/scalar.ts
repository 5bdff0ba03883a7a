import type { NativeSession } from './session.ts';

/** The first value of a query of the driver's own, a VARCHAR; undefined without rows. */
export async function readText(session: NativeSession, sql: string, signal: AbortSignal): Promise<string | undefined> {
  const { binding } = session;
  const result = await session.query(sql, signal);
  if (binding.row_count(result) === 0) return undefined;
  const chunk = binding.result_get_chunk(result, 0);
  // A string of up to 12 bytes stands behind its length, a longer one where a pointer leads.
  const entry = binding.vector_get_data(binding.data_chunk_get_vector(chunk, 0), 16);
  const view = new DataView(entry.buffer, entry.byteOffset, 16);
  const length = view.getUint32(0, true);
  if (length <= 12) return new TextDecoder().decode(entry.subarray(4, 4 + length));
  const bytes = binding.get_data_from_pointer(entry.buffer as ArrayBuffer, entry.byteOffset + 8, length);
  const text = new TextDecoder().decode(bytes);
  // The chunk holds what the pointer leads to: without a use after it, it might be collected before.
  binding.data_chunk_reset(chunk);
  return text;
}

/** The first column, BOOLEAN and without nulls, of a query of the driver's own. */
export async function readFlags(session: NativeSession, sql: string, signal: AbortSignal): Promise<boolean[]> {
  const { binding } = session;
  const result = await session.query(sql, signal);
  const flags: boolean[] = [];
  for (let i = 0; i < binding.result_chunk_count(result); i++) {
    const chunk = binding.result_get_chunk(result, i);
    const vector = binding.data_chunk_get_vector(chunk, 0);
    for (const byte of binding.vector_get_data(vector, binding.data_chunk_get_size(chunk))) flags.push(byte === 1);
  }
  return flags;
}
