/** Heading anchors in docs/runbook.md, one for each alarm, whose description names it. */
export const runbookAnchors = {
  mostAttemptsFail: 'our-egress-or-dns-is-down',
  intakeDeadLetters: 'messages-in-the-intake-dead-letter-queue',
  deliveryDeadLetters: 'messages-in-the-delivery-dead-letter-queue',
  intakeBacklog: 'intake-waits-too-long',
  deliveryBacklog: 'deliveries-wait-too-long',
  slowDeliveryBacklog: 'deliveries-to-slow-endpoints-wait-too-long',
  replayDeadLetters: 'messages-in-the-replay-dead-letter-queue',
  replayBacklog: 'a-bulk-replay-does-not-go-on',
  apiErrors: 'the-api-answers-with-server-errors',
  functionErrors: 'a-function-fails-again-and-again',
  functionThrottles: 'functions-are-throttled',
  tableThrottles: 'dynamodb-throttles-the-table',
  sweepSilent: 'the-sweep-does-not-run',
  overdueDeliveries: 'deliveries-are-overdue',
  strandedDeliveries: 'stranded-deliveries',
  stalledReplays: 'stalled-bulk-replays',
  auditSilent: 'the-audit-does-not-run',
  auditIncomplete: 'the-audit-is-not-done-in-time',
} as const;

/** Anchor of the alarms that only a stage with an event bus has. */
export const busRunbookAnchor = 'events-of-the-bus-do-not-arrive';

/** Heading anchors in docs/runbook.md about what no alarm reports. The dashboard names them. */
export const symptomAnchors = {
  receiversFail: 'receivers-fail',
  nothingArrives: 'a-customer-says-nothing-came',
} as const;

export type RunbookAnchor =
  | (typeof runbookAnchors)[keyof typeof runbookAnchors]
  | (typeof symptomAnchors)[keyof typeof symptomAnchors]
  | typeof busRunbookAnchor;
