/** Heading anchors in docs/runbook.md. Every alarm description links to one. */
export const runbookAnchors = {
  intakeDeadLetters: 'messages-in-the-intake-dead-letter-queue',
  deliveryDeadLetters: 'messages-in-the-delivery-dead-letter-queue',
  intakeBacklog: 'intake-waits-too-long',
  deliveryBacklog: 'deliveries-wait-too-long',
  slowDeliveryBacklog: 'deliveries-to-slow-endpoints-wait-too-long',
  apiErrors: 'the-api-answers-with-server-errors',
  functionErrors: 'a-function-fails-again-and-again',
  functionThrottles: 'functions-are-throttled',
  sweepSilent: 'the-sweep-does-not-run',
  strandedDeliveries: 'stranded-deliveries',
  auditSilent: 'the-audit-does-not-run',
  auditIncomplete: 'the-audit-is-not-done-in-time',
} as const;

/** Anchor of the alarms that only a stage with an event bus has. */
export const busRunbookAnchor = 'events-of-the-bus-do-not-arrive';

export type RunbookAnchor = (typeof runbookAnchors)[keyof typeof runbookAnchors] | typeof busRunbookAnchor;
