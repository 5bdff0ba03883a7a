import type { PgColumn } from '../decode/type.ts';
import { BodyReader } from './message-reader.ts';

/** Reads the body of a RowDescription. */
export function readRowDescription(body: Uint8Array): PgColumn[] {
  const reader = new BodyReader(body);
  const count = reader.int16();
  const columns: PgColumn[] = [];
  for (let i = 0; i < count; i++) {
    const name = reader.text();
    const tableOid = reader.uint32();
    const attributeNumber = reader.int16();
    const oid = reader.uint32();
    reader.int16();
    const typmod = reader.int32();
    const format = reader.int16() === 1 ? 1 : 0;
    columns.push({ name, oid, typmod, format, tableOid, attributeNumber });
  }
  return columns;
}

/** Reads the body of a ParameterDescription: the types of the parameters, by OID. */
export function readParameterDescription(body: Uint8Array): number[] {
  const reader = new BodyReader(body);
  return Array.from({ length: reader.int16() }, () => reader.uint32());
}
