import type { DriverCall, DriverSession, TransactionAction } from './spi.ts';

/** What is known of a session's transaction: whether one is open, and who ends it. */
export class SessionTransaction {
  readonly #driver: DriverSession;
  /** Whether every statement commits by itself. */
  autocommit = true;
  #open = false;
  /** Whether a text may have begun a transaction that is not known here. */
  #mayHaveBegun = false;

  constructor(driver: DriverSession) {
    this.#driver = driver;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Looks at a text that is about to run. */
  noteText(sql: string): void {
    this.#mayHaveBegun ||= mayBegin(sql);
  }

  /** Before a statement: begins one unless the connection commits by itself or one is open. */
  async begin(call: DriverCall): Promise<void> {
    if (this.autocommit || this.#open) return;
    // Set first: should it fail half-way, a rollback that was not needed does less harm than a transaction left open.
    this.#open = true;
    await this.#act('begin', call);
  }

  async end(action: 'commit' | 'rollback', call: DriverCall): Promise<void> {
    await this.#act(action, call);
    this.#open = false;
  }

  /** Rolls back what is open or may be; `onFault` hears what the source says where most often nothing was. */
  async reset(call: DriverCall, onFault: (fault: unknown) => void): Promise<void> {
    if (this.#open) await this.end('rollback', call);
    else if (this.#mayHaveBegun) await this.#driver.transaction('rollback', call).catch(onFault);
    call.signal.throwIfAborted();
    this.#mayHaveBegun = false;
    this.autocommit = true;
  }

  /** At the end of the session, when nothing may stop it. */
  async close(): Promise<void> {
    if (this.#open) await this.#driver.transaction('rollback', uninterrupted());
  }

  /** After a failure no transaction is open, whatever the source made of the call: nothing may run in it unawares. */
  async #act(action: TransactionAction, call: DriverCall): Promise<void> {
    try {
      await this.#driver.transaction(action, call);
    } catch (error) {
      await this.#driver.transaction('rollback', uninterrupted()).catch(() => {});
      this.#open = false;
      throw error;
    }
  }
}

/** Whether a text holds a word without which no transaction begins; procedures may begin one too. Rather yes than no. */
function mayBegin(sql: string): boolean {
  return /\b(begin|start|transaction|autocommit|call|exec|execute)\b/i.test(sql);
}

function uninterrupted(): DriverCall {
  return { signal: new AbortController().signal };
}
