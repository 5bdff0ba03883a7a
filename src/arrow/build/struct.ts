import type { ColumnLayout } from '../column.ts';
import { rowNames } from '../row-name.ts';
import type { Field } from '../schema.ts';
import type { StructType } from '../type.ts';
import { Builder } from './builder.ts';
import { appendOrDrop, isRecord, type MakeChild } from './list.ts';

/** Structs, from objects: a property a child by {@link rowNames}; one that is missing is null, one that is no child's is refused. */
export class StructBuilder extends Builder {
  readonly #children: readonly Builder[];
  readonly #properties: readonly Property[];

  constructor(field: Field, type: StructType, makeChild: MakeChild, parent?: Builder) {
    super(field, parent);
    this.#children = type.children.map((child) => makeChild(child, this));
    this.#properties = propertiesOf(type.children);
  }

  protected write(value: NonNullable<unknown>): void {
    if (!isRecord(value)) this.refuse(value);
    const unknown = unknownProperty(this.#properties, value);
    if (unknown !== undefined) this.refuse(value, `has a property ${JSON.stringify(unknown)}, which no child is named`);
    appendOrDrop(this.#children, () => {
      this.#children.forEach((child, i) => {
        child.append(this.#properties[i]?.read(value));
      });
    });
  }

  protected writeNull(): void {
    for (const child of this.#children) child.skip();
  }

  override truncate(length: number): void {
    super.truncate(length);
    for (const child of this.#children) child.truncate(this.length);
  }

  protected take(): Partial<ColumnLayout> {
    return { children: this.#children.map((child) => child.finish()) };
  }

  protected bytesOf(): number {
    return this.#children.reduce((sum, child) => sum + child.byteLength, 0);
  }
}

/** Reads one property of objects. */
export interface Property {
  readonly name: string;
  readonly read: (object: Record<string, unknown>) => unknown;
}

export function propertiesOf(fields: readonly Field[]): readonly Property[] {
  return rowNames(fields).map((name) => {
    // What every object inherits under such a name (`constructor`, `__proto__`) is no value of its own.
    const inherited = name in Object.prototype;
    return {
      name,
      read: inherited ? (object) => (Object.hasOwn(object, name) ? object[name] : undefined) : (object) => object[name],
    };
  });
}

/** The first enumerable property of its own that an object has and `properties` do not name. */
export function unknownProperty(properties: readonly Property[], object: Record<string, unknown>): string | undefined {
  let matched = 0;
  const keys = Object.keys(object);
  // Most objects have just these, in this order.
  for (let i = 0; i < keys.length; i++) if (keys[i] === properties[i]?.name) matched++;
  if (matched === keys.length) return undefined;
  return keys.find((key) => !properties.some(({ name }) => name === key));
}
