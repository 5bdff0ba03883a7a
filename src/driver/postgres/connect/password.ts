/**
 * Gives the password for a new connection, such as a token that is valid for minutes. It is asked once for each connection
 * that is made, and should stop when `signal` fires.
 */
export type PasswordSource = (call: { readonly signal: AbortSignal }) => string | Promise<string>;
