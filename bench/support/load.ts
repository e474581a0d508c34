import { z } from 'zod';

/** A customer with one active endpoint, so that one event makes one delivery. */
const recipientSchema = z.object({
  customer: z.string(),
  /** Path of the endpoint's URL without the slash. */
  endpoint: z.string(),
});

/** Events that settle a Run, for each recipient in turn. */
export const loadSchema = z.object({
  /** Origin of SQS. */
  sqsUrl: z.string(),
  intakeQueueUrl: z.string(),
  recipients: z.array(recipientSchema).min(1).readonly(),
  count: z.number(),
  /**
   * `publishers`: each sends its next event when the queue has accepted the last one, so a backlog can grow. `inFlight`:
   * a fixed number of events is on its way; when one has arrived, the next is sent. `perSecond`: a fixed rate, even when
   * earlier events are late.
   */
  pace: z.union([
    z.object({ publishers: z.number() }),
    z.object({ inFlight: z.number() }),
    z.object({ perSecond: z.number() }),
  ]),
  /** Milliseconds to wait for a POST; an event that did not arrive has no time. */
  patienceMs: z.number(),
});

/** All times are `sharedNow()`. */
export const playedEventSchema = z.object({
  runId: z.string(),
  endpoint: z.string(),
  /** When the queue accepted the message. */
  acceptedAt: z.number(),
  /** When the whole POST had arrived. */
  arrivedAt: z.number().nullable(),
});

export type Recipient = Readonly<z.infer<typeof recipientSchema>>;
export type Load = Readonly<z.infer<typeof loadSchema>>;
export type PlayedEvent = Readonly<z.infer<typeof playedEventSchema>>;
