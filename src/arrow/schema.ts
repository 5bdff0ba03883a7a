import { RecurveError } from '../error.ts';
import { hasTag } from './brand.ts';
import { Metadata, type MetadataInput } from './metadata.ts';
import { type DataType, typeEquals, typeToString } from './type.ts';

/** What a {@link Field} may say besides its name and type. */
export interface FieldOptions {
  /** Default true: Arrow's own default for a new field. */
  readonly nullable?: boolean;
  readonly metadata?: MetadataInput | undefined;
}

/** A named, typed column of a schema, or a child of a nested type (Schema.fbs, `Field`). */
export class Field {
  declare readonly name: string;
  declare readonly type: DataType;
  declare readonly nullable: boolean;
  declare readonly metadata: Metadata;

  constructor(name: string, type: DataType, options: FieldOptions = {}) {
    this.name = name;
    this.type = type;
    this.nullable = options.nullable ?? true;
    this.metadata = Metadata.from(options.metadata);
  }

  get [Symbol.toStringTag](): string {
    return 'recurve.Field';
  }

  /** Also true for one of a second copy of this library. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return hasTag(value, 'recurve.Field');
  }

  /** The same field with other metadata. */
  withMetadata(metadata: MetadataInput): Field {
    return new Field(this.name, this.type, { nullable: this.nullable, metadata });
  }

  /** The same field under another name. */
  withName(name: string): Field {
    return new Field(name, this.type, { nullable: this.nullable, metadata: this.metadata });
  }

  equals(other: Field): boolean {
    return (
      this.name === other.name &&
      this.nullable === other.nullable &&
      typeEquals(this.type, other.type) &&
      this.metadata.equals(other.metadata)
    );
  }

  toString(): string {
    // A name may hold anything; the text of a type stays on one line.
    const quoted = JSON.stringify(this.name);
    const name = /\\[bfnrtu]/.test(quoted) ? quoted : this.name;
    return `${name}: ${typeToString(this.type)}${this.nullable ? '' : ' not null'}`;
  }
}

/** The columns of a batch, table or stream, in order. Names may repeat: columns are found by position. */
export class Schema {
  declare readonly fields: readonly Field[];
  declare readonly metadata: Metadata;

  constructor(fields: readonly Field[], metadata?: MetadataInput) {
    this.fields = fields;
    this.metadata = Metadata.from(metadata);
  }

  get [Symbol.toStringTag](): string {
    return 'recurve.Schema';
  }

  /** Also true for one of a second copy of this library. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return hasTag(value, 'recurve.Schema');
  }

  get names(): string[] {
    return this.fields.map((field) => field.name);
  }

  /** The position of the first field with this name, or −1. */
  indexOf(name: string): number {
    return this.fields.findIndex((field) => field.name === name);
  }

  /** The position of a field that is given by its position or name. Throws NOT_FOUND, naming the fields there are. */
  position(key: number | string): number {
    const position = typeof key === 'number' ? key : this.indexOf(key);
    if (this.fields[position] === undefined) {
      throw new RecurveError('NOT_FOUND', `no column ${JSON.stringify(key)} among ${JSON.stringify(this.names)}`);
    }
    return position;
  }

  /** The field at a position or under a name. Throws NOT_FOUND, naming the fields there are. */
  field(key: number | string): Field {
    return this.fields[this.position(key)] as Field;
  }

  /** These fields, by name or position, in this order. Throws NOT_FOUND. */
  select(keys: ReadonlyArray<number | string>): Schema {
    return new Schema(
      keys.map((key) => this.field(key)),
      this.metadata,
    );
  }

  /** The same schema with other metadata. */
  withMetadata(metadata: MetadataInput): Schema {
    return new Schema(this.fields, metadata);
  }

  equals(other: Schema): boolean {
    return (
      this.fields.length === other.fields.length &&
      this.fields.every((field, i) => other.fields[i] !== undefined && field.equals(other.fields[i])) &&
      this.metadata.equals(other.metadata)
    );
  }

  toString(): string {
    return this.fields.map((field) => `${field}`).join('\n');
  }
}
