import { rmSync } from 'node:fs';

/** Ends what was started, in the reverse order, each at most once. */
export class Closers {
  readonly #closers: (() => Promise<void>)[] = [];

  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Removes a file or folder at the end, also when the process ends without closing the rest. */
  addRemoval(file: string): void {
    this.#addForExit(() => rmSync(file, { recursive: true, force: true }));
  }

  /** Releases what was claimed, also when the process ends without closing the rest. */
  addRelease(release: () => void): void {
    this.#addForExit(release);
  }

  /** Goes on when one fails, and then reports the failures together. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0)
      throw new AggregateError(failures, 'Some parts of the stack did not end cleanly');
  }

  #addForExit(end: () => void): void {
    // In the reverse order here too.
    process.prependOnceListener('exit', end);
    this.add(async () => {
      process.off('exit', end);
      end();
    });
  }
}
