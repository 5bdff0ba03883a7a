import { isInRanges, readPasswordTables } from './saslprep-table.ts';

/** Table C.1.2 of RFC 3454: spaces that become a plain one. */
const spaces = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g;
/** Table B.1: what is dropped. U+200B is in both, and a space to PostgreSQL. */
const dropped = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g;

/**
 * A password as SCRAM hashes it, by SASLprep (RFC 4013): compatible characters made one, special spaces plain. One that SASLprep does
 * not allow is taken as it is. PostgreSQL prepares it the same way when it stores it, looking for what is not allowed before it
 * normalises, where the RFC looks afterwards; a difference would lock its owner out.
 */
export function normalizePassword(password: string): string {
  if (isAscii(password) || /\p{Surrogate}/u.test(password)) return password;
  const mapped = password.replace(spaces, ' ').replace(dropped, '');
  return mapped === '' || !isAllowed(mapped) ? password : mapped.normalize('NFKC');
}

/** Sections 2.3 to 2.5: nothing prohibited or unassigned, and one direction of writing, which also begins and ends it. */
function isAllowed(text: string): boolean {
  const { prohibited, rightToLeft, leftToRight } = readPasswordTables();
  const codePoints = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  if (codePoints.some((each) => isInRanges(each, prohibited))) return false;
  if (!codePoints.some((each) => isInRanges(each, rightToLeft))) return true;
  return (
    !codePoints.some((each) => isInRanges(each, leftToRight)) &&
    isInRanges(codePoints[0] ?? 0, rightToLeft) &&
    isInRanges(codePoints.at(-1) ?? 0, rightToLeft)
  );
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
