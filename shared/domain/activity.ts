/** What can be done to an endpoint by those who may change something. */
export const activityActions = [
  'registered',
  'secret_rotated',
  'deleted',
  'delivery_replayed',
  'example_sent',
  'bulk_replay_started',
  'bulk_replay_cancelled',
] as const;

export type ActivityAction = (typeof activityActions)[number];

/** That somebody did something to an endpoint. Its id has the time. */
export type Activity = {
  readonly id: string;
  readonly customerId: string;
  readonly webhookId: string;
  readonly action: ActivityAction;
  /** The id of the credential; `null` for the operator. */
  readonly credentialId: string | null;
  /** The delivery or the bulk replay that it made or ended; `null` for what makes neither. */
  readonly subjectId: string | null;
};

/** How long it can be read, in milliseconds: 90 days, as bulk replays. */
export const activityLasts = 90 * 24 * 60 * 60_000;
