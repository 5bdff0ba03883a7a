/**
 * A password as SCRAM hashes it, RFC 4013: compatible characters made one, special spaces plain. What that does not allow is
 * taken as it is, as the server does when it stores one: such passwords work wherever their bytes are the same.
 *
 * The tables are loaded only for a password that is not plain ASCII.
 */
export async function normalizePassword(password: string): Promise<string> {
  if (isAscii(password) || /\p{Surrogate}/u.test(password)) return password;
  const { default: saslprep } = await import('@mongodb-js/saslprep');
  try {
    return saslprep(password) || password;
  } catch {
    return password;
  }
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
