import type { Socket } from 'node:net';
import { type AttemptFailure, failureOf, refusedResponse } from './attempt-failure.ts';
import type { AttemptProgress } from './attempt-progress.ts';
import { closeOnceRead } from './pending-input.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseReader } from './response-reader.ts';

export type ExchangeOptions = {
  readonly socket: Socket;
  /** Head and body. */
  readonly request: Uint8Array;
  readonly progress: AttemptProgress;
  /** Closes the connection when the time of the attempt is over. */
  readonly signal: AbortSignal;
};

export type Response = {
  readonly head: ResponseHead;
  /**
   * Resolves when nothing more is read: the response, its connection or the time of the attempt has ended. Tells whether
   * the connection may carry another request.
   */
  readonly ended: Promise<boolean>;
};

/** The connection ended before the first byte of a response. */
export type NoResponse = { readonly failure: AttemptFailure };

/**
 * How fast a body is read, so that an endless one takes little processor time from other attempts. Each piece that
 * arrives, and each line between chunks, takes about as long as `bytesOfStep` of data.
 */
const readingPace = { bytes: 512 * 1024, bytesOfStep: 512, pauseMs: 100 } as const;

/**
 * Sends one request and resolves as soon as the response headers are complete. The rest of the response is read to its
 * end and thrown away, because the receiver may work until then. Redirects are not followed, and nothing is decoded.
 *
 * @throws AttemptFailure when the response has no complete headers
 */
export function exchange(options: ExchangeOptions): Promise<Response | NoResponse> {
  return new Exchange(options).run();
}

class Exchange {
  readonly #options: ExchangeOptions;
  readonly #reader = new ResponseReader();
  readonly #answer = Promise.withResolvers<Response | NoResponse>();
  readonly #ended = Promise.withResolvers<boolean>();
  #isSent = false;
  #bytesUntilPause: number = readingPace.bytes;
  #pause: NodeJS.Timeout | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  run(): Promise<Response | NoResponse> {
    const { socket, request, progress, signal } = this.#options;
    socket.on('data', this.#hear).on('error', this.#end).on('end', this.#end).on('close', this.#end);
    signal.addEventListener('abort', this.#abort, { once: true });
    // A closed connection emits nothing any more, not even at the deadline.
    if (socket.closed) this.#end();
    socket.write(request, (error) => {
      this.#isSent = error == null;
      if (this.#reader.hasEnded) this.#end();
    });
    progress.begin('firstByteMs');
    return this.#answer.promise;
  }

  readonly #hear = (chunk: Buffer): void => {
    const reader = this.#reader;
    if (!reader.hasBegun) this.#options.progress.awaitEnd();
    const linesBefore = reader.linesOfBody;
    reader.read(chunk);
    const { head, fault } = reader;
    if (fault !== null) this.#answer.reject(refusedResponse(fault));
    if (head !== null) this.#answer.resolve({ head, ended: this.#ended.promise });
    if (fault !== null || (reader.hasEnded && this.#isSent)) this.#end();
    else if (!reader.hasEnded) this.#readSlowly(chunk.length, 1 + reader.linesOfBody - linesBefore);
  };

  /** Further calls change nothing: the error of a connection comes before its close. */
  readonly #end = (error?: unknown): void => {
    const { socket, progress, signal } = this.#options;
    socket.off('data', this.#hear).off('error', this.#end).off('end', this.#end).off('close', this.#end);
    signal.removeEventListener('abort', this.#abort);
    clearTimeout(this.#pause);
    socket.resume();
    progress.stop();
    const failure = failureOf(error, 'firstByteMs');
    if (this.#reader.hasBegun) this.#answer.reject(failure);
    else this.#answer.resolve({ failure });
    this.#ended.resolve(this.#isSent && this.#reader.leavesConnectionUsable);
  };

  readonly #abort = (): void => {
    void closeOnceRead(this.#options.socket);
  };

  #readSlowly(bytes: number, steps: number): void {
    this.#bytesUntilPause -= bytes + steps * readingPace.bytesOfStep;
    if (this.#bytesUntilPause > 0) return;
    this.#bytesUntilPause = readingPace.bytes;
    this.#options.socket.pause();
    this.#pause = setTimeout(() => this.#options.socket.resume(), readingPace.pauseMs);
  }
}
