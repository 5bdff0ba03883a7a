import { ArrayDecoder } from './array.ts';
import { BoolDecoder } from './bool.ts';
import { BytesDecoder } from './bytes.ts';
import { Child } from './child.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { DecimalDecoder } from './decimal.ts';
import { EnumDecoder } from './enum.ts';
import { FixedDecoder } from './fixed.ts';
import { findRanges, ListDecoder, vectorFinder } from './list.ts';
import { MapDecoder } from './map.ts';
import { MoneyDecoder } from './money.ts';
import { checkNumeric, numericText } from './numeric.ts';
import { NumericDoubleDecoder } from './numeric-double.ts';
import type { ColumnPlan } from './plan.ts';
import { RangeDecoder } from './range.ts';
import { attributeFinder, findCoordinates, StructDecoder } from './struct.ts';
import { DateDecoder, IntervalDecoder, TimeDecoder, TimestampDecoder } from './temporal.ts';
import { typeWriters } from './type-writer.ts';
import { VectorDecoder } from './vector.ts';
import { type TextWriter, WrittenTextDecoder } from './written-text.ts';

const writeNumeric: TextWriter = (source, place, _length, path) => {
  checkNumeric(source, path, place);
  return numericText(source, place);
};

/** The decoder of a planned column; `path` is what its errors call it. */
export function makeDecoder(plan: ColumnPlan, path: string): ColumnDecoder {
  const { field, form, options } = plan;
  const context: DecoderContext = { field, path };
  const children = makeChildren(plan, path);
  const [first, second] = children;
  switch (form.kind) {
    case 'bool':
      return new BoolDecoder(context);
    case 'date':
      return new DateDecoder(context, options.infinity);
    case 'time':
      return new TimeDecoder(context, options.infinity);
    case 'timestamp':
      return new TimestampDecoder(context, options.infinity);
    case 'interval':
      return new IntervalDecoder(context, options.infinity);
    case 'text':
    case 'raw':
      return new BytesDecoder(context, { versioned: false });
    case 'versioned':
      return new BytesDecoder(context, { versioned: true });
    case 'written':
      return new WrittenTextDecoder(context, typeWriters[form.writer]);
    case 'decimal':
      return new DecimalDecoder(context, options.infinity);
    case 'numeric-double':
      return new NumericDoubleDecoder(context);
    case 'numeric-text':
      return new WrittenTextDecoder(context, writeNumeric);
    case 'money':
      return new MoneyDecoder(context);
    case 'enum':
      return new EnumDecoder(context, form.labels);
    case 'composite':
      return new StructDecoder(context, children, attributeFinder(form.oids));
    case 'point':
      return new StructDecoder(context, children, findCoordinates);
    default:
      break;
  }
  if (first === undefined) return new FixedDecoder(context);
  switch (form.kind) {
    case 'array': {
      const dropBounds = options.arrayBounds === 'drop';
      return new ArrayDecoder(context, first, { ...form, dropBounds });
    }
    case 'multirange':
      return new ListDecoder(context, first, findRanges);
    case 'vector':
      return field.type.kind === 'list'
        ? new ListDecoder(context, first, vectorFinder(first.decoder.width))
        : new VectorDecoder(context, first);
    default:
      if (second === undefined) return new FixedDecoder(context);
      return form.kind === 'hstore' ? new MapDecoder(context, first, second) : new RangeDecoder(context, first, second);
  }
}

function makeChildren({ children }: ColumnPlan, path: string): Child[] {
  return children.map((child) => {
    const childPath = `${path}.${child.field.name}`;
    return new Child(makeDecoder(child, childPath), childPath);
  });
}
