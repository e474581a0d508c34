import type { PostResult, Withdrawal } from '#shared/domain/attempt.ts';
import type { ReplayStep } from '#shared/domain/bulk-replay.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { EncryptedSecret } from '#shared/domain/endpoint.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { RequestKey } from '#shared/domain/request-key.ts';
import type { TelemetryEvent } from './telemetry-event.ts';

/**
 * What several operations need beside the functions of the table. Each lists what it uses in its own `Deps`; `shared/aws`
 * and `shared/http` implement it.
 */

/** Epoch milliseconds. */
export type Clock = () => number;
/** Cryptographically secure random bytes. */
export type RandomBytes = (size: number) => Uint8Array;

/** The endpoint that a ciphertext is bound to: it cannot be decrypted with another context. */
export type SecretContext = { readonly customerId: string; readonly webhookId: string };
export type EncryptSecret = (secret: string, context: SecretContext) => Promise<EncryptedSecret>;
export type DecryptSecret = (ciphertext: EncryptedSecret, context: SecretContext) => Promise<string>;

/** Encrypts an answer, and binds it to its key. */
export type EncryptAnswer = (body: string, key: RequestKey) => Promise<string>;
export type DecryptAnswer = (sealed: string, key: RequestKey) => Promise<string>;

/** Decides whether events may be sent to a URL. `url` is the normal form, which is stored and connected to. */
export type CheckUrl = (
  text: string,
) => Promise<{ readonly ok: true; readonly url: string } | { readonly ok: false; readonly detail: string }>;

export type Headers = Readonly<Record<string, string>>;

/** The result of a POST, at the time of the complete response headers. */
export type Posted = PostResult & {
  /**
   * Resolves when the rest of the response was read, or the time of the attempt is over, with the milliseconds for which
   * the receiver kept the attempt waiting. Its process must not be frozen before.
   */
  readonly ended: Promise<number>;
};

/**
 * Makes one POST, and a second one only when the first went out on a kept connection that ended without a response. It
 * resolves and checks the address each time, and never throws for a receiver's failure.
 *
 * @returns the withdrawal that `headers` returned; then nothing was sent
 */
export type PostEvent = (request: {
  /** The endpoint. A connection that served another endpoint is not reused. */
  readonly webhookId: string;
  readonly url: string;
  /** Called before each connection is opened. A withdrawal opens none. */
  readonly mayConnect?: () => Promise<Withdrawal | null>;
  /**
   * Called once the connection is open, and again if the call took time; the request begins when the call returns at
   * once. The headers are sent with names and values as given, in addition to `Host`, `Content-Length`,
   * `Accept`, `Accept-Encoding`, `Connection`.
   */
  readonly headers: () => Promise<Headers | Withdrawal>;
  /** Sent as exactly these bytes. */
  readonly body: Uint8Array;
  /** Called each time when the receiver has kept the attempt waiting for `slowAfter`. */
  readonly onSlow?: () => void;
}) => Promise<Posted | Withdrawal>;

/** `retry`: the message stays on the queue and is received again: soon at first, later after the visibility timeout. */
export type MessageResult = 'done' | 'retry';

/**
 * Nothing is wrong with the message: it is received again after about that many seconds. `spread`, from 0.5 to 1.5,
 * varies the wait, however long it becomes.
 */
export type Later = { readonly laterSeconds: number; readonly spread: number };

/** The message can never be processed: it goes to the dead letters with this reason. */
export type Refusal = { readonly refused: string };

/** Milliseconds until the platform ends the function. */
export type TimeLeft = () => number;

/** An attempt for a delivery queue, which holds it back for `delaySeconds`: at most 900, and none when left out. */
export type QueuedAttempt = DueAttempt & { readonly delaySeconds?: number };

/** Puts attempts on the queue of a lane. @returns the attempts that the queue refused */
export type EnqueueAttempts<L extends Lane = Lane> = (
  due: readonly QueuedAttempt[],
  lane: L,
) => Promise<readonly DueAttempt[]>;

/**
 * Creates the one-shot schedule of an attempt at a time (epoch milliseconds), unless it exists. It sends to the queue of
 * the lane.
 */
export type ScheduleAttempt = (due: DueAttempt, at: number, lane: Lane) => Promise<void>;

/** Puts the message of a step on the queue of bulk replays. @param delaySeconds at most 900 */
export type SendReplayStep = (step: ReplayStep, delaySeconds: number) => Promise<void>;

/** Resolves after a time in milliseconds. */
export type Wait = (milliseconds: number) => Promise<void>;

/** Calls `run` after a time in milliseconds. @returns a function that prevents the call */
export type After = (milliseconds: number, run: () => void) => () => void;

export type Report = (event: TelemetryEvent) => void;
