import type { Table } from '#shared/aws/clients.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { Cursors } from './paging.ts';
import type * as ports from './ports.ts';

/**
 * What operations use, by the names that all of them give it. The `Deps` of each pick what it can touch; those of its own
 * are beside them.
 */
export type Needs = {
  readonly table: Table;
  readonly now: ports.Clock;
  /** Milliseconds since a fixed moment. Measures the age of a read, because the clock may be set in between. */
  readonly monotonic: ports.Clock;
  readonly wait: ports.Wait;
  readonly after: ports.After;
  readonly randomBytes: ports.RandomBytes;
  readonly report: ports.Report;
  readonly cursors: Cursors;
  /** Public address of the API without a trailing slash. */
  readonly baseUrl: string;
  readonly checkUrl: ports.CheckUrl;
  readonly postEvent: ports.PostEvent;
  readonly encryptSecret: ports.EncryptSecret;
  readonly decryptSecret: ports.DecryptSecret;
  readonly encryptAnswer: ports.EncryptAnswer;
  readonly decryptAnswer: ports.DecryptAnswer;
  readonly enqueueAttempts: ports.EnqueueAttempts;
  readonly scheduleAttempt: ports.ScheduleAttempt;
  readonly sendReplayStep: ports.SendReplayStep;
  /** Of the queue that the attempts come from. The slow lane makes every attempt itself. */
  readonly lane: Lane;
};
