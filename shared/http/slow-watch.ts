import { slowAfter } from '#shared/domain/lane.ts';
import { pendingInput } from './pending-input.ts';

/**
 * Notices when the other side keeps an attempt waiting for longer than `slowAfter`. Time of this process does not
 * count: before the watch decides, the process reads everything that the other side had sent by then.
 */
export class SlowWatch {
  readonly #onSlow: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param onSlow called at most once for each wait */
  constructor(onSlow: () => void) {
    this.#onSlow = onSlow;
  }

  /**
   * The other side has everything that it needs, and is waited for from now on.
   *
   * @param received the bytes that it has sent so far; with more of them, the wait begins again
   */
  start(received = () => 0): void {
    this.stop();
    const before = received();
    const timer = setTimeout(async () => {
      await pendingInput();
      if (this.#timer !== timer) return;
      if (received() > before) this.start(received);
      else this.#onSlow();
    }, slowAfter);
    this.#timer = timer;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
