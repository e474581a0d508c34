/** Headings of docs/runbook.md, as their anchors. Every alarm names the one that says what to do. */
export const runbookAnchors = {
  intakeDeadLetters: 'messages-in-the-intake-dead-letter-queue',
  deliveryDeadLetters: 'messages-in-the-delivery-dead-letter-queue',
  deliveryBacklog: 'deliveries-wait-too-long',
  sweepFailed: 'the-sweep-fails',
} as const;

export type RunbookAnchor = (typeof runbookAnchors)[keyof typeof runbookAnchors];
