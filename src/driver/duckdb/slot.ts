/**
 * Native calls run on libuv's few threads, which file and name lookups of the whole process need too: four queries at
 * once held back a file read by 3 s. So at most all but one of the threads run native calls; the others wait here.
 */
class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(start);
    });
  }
}

let slots: Slots | undefined;

/**
 * Runs a native call when one of the slots is free, in the order of asking; the slot is held until the call settles. When
 * `signal` fires while the call waits for its slot, it is never made and the promise rejects with the signal's reason.
 *
 * There are `UV_THREADPOOL_SIZE` (default 4) minus one slots, at least one. No call may wait for another one's slot while
 * it holds its own: a result that is not being read holds none.
 */
export function runInSlot<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  slots ??= new Slots(Math.max(1, threadCount() - 1));
  return slots.run(call, signal);
}

/** The size of libuv's pool by its own rules: 4 unless the variable says otherwise, at most 1024. */
function threadCount(): number {
  const size = Number.parseInt(process.env.UV_THREADPOOL_SIZE ?? '4', 10);
  return Number.isNaN(size) || size < 1 ? 1 : Math.min(size, 1024);
}
