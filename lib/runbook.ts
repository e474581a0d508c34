/** Headings of docs/runbook.md, as their anchors. Every alarm names the one that says what to do. */
export const runbookAnchors = {
  intakeDeadLetters: 'messages-in-the-intake-dead-letter-queue',
  deliveryDeadLetters: 'messages-in-the-delivery-dead-letter-queue',
  deliveryBacklog: 'deliveries-wait-too-long',
  sweepFailed: 'the-sweep-fails',
  strandedDeliveries: 'stranded-deliveries',
  auditFailed: 'the-audit-fails',
  auditIncomplete: 'the-audit-is-not-done-in-time',
} as const;

export type RunbookAnchor = (typeof runbookAnchors)[keyof typeof runbookAnchors];
