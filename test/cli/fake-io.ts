import type { CommandIo, Terminal } from '../../src/cli/io.ts';

/** A stand-in for a process: what was written is kept as text, in the order of `log`. */
export interface FakeIo extends CommandIo {
  readonly out: () => string;
  readonly outBytes: () => Uint8Array;
  readonly err: () => string;
  interrupt(reason: unknown): void;
}

export interface FakeOptions {
  readonly stdin?: string | Uint8Array;
  readonly stdinIsTerminal?: boolean;
  readonly stdoutIsTerminal?: boolean;
  readonly stderrIsTerminal?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Called before each write to standard output; what it throws or rejects with, the write rejects with. */
  readonly onWrite?: (text: string) => void | Promise<void>;
}

export function fakeIo(options: FakeOptions = {}): FakeIo {
  const texts: Record<'out' | 'err', Uint8Array[]> = { out: [], err: [] };
  const controller = new AbortController();
  const stream = (name: 'out' | 'err', isTerminal: boolean): Terminal => ({
    isTerminal,
    columns: isTerminal ? (options.columns ?? 80) : undefined,
    async write(bytes) {
      if (name === 'out') await options.onWrite?.(new TextDecoder().decode(bytes));
      texts[name].push(bytes.slice());
    },
  });
  return {
    stdin: {
      isTerminal: options.stdinIsTerminal ?? options.stdin === undefined,
      async *[Symbol.asyncIterator]() {
        const { stdin = '' } = options;
        yield typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin;
      },
    },
    stdout: stream('out', options.stdoutIsTerminal ?? false),
    stderr: stream('err', options.stderrIsTerminal ?? false),
    env: options.env ?? {},
    signal: controller.signal,
    out: () => Buffer.concat(texts.out).toString(),
    outBytes: () => Uint8Array.from(Buffer.concat(texts.out)),
    err: () => Buffer.concat(texts.err).toString(),
    interrupt: (reason) => controller.abort(reason),
  };
}
