import type { ProblemDefinition, ProblemTexts } from './problem-entry.ts';

/** The codes of a source or a service that failed. */
export const serviceProblems = {
  media_unavailable: {
    status: 502,
    title: 'Media is not available',
    remedy: 'Do not retry: the video itself is unavailable.',
  },
  vendor_error: {
    status: 502,
    title: 'Upstream source failed',
    remedy: 'Retry with exponential backoff.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    remedy: 'Retry with exponential backoff; quote `instance` when you contact support.',
  },
} as const satisfies Record<string, ProblemDefinition>;

/** What else their pages say. No bundle of a function has it. */
export const serviceTexts: ProblemTexts<keyof typeof serviceProblems> = {
  media_unavailable: {
    meaning: 'The media could not be fetched: it was deleted, is private, or the platform refused access.',
    retry: 'No. The video was deleted, is private or is refused by its platform.',
    fix: 'Skip the video. The other items of the Run are not affected.',
    example: { detail: 'The video was deleted' },
  },
  vendor_error: {
    meaning: 'An upstream source of the Run failed. The Run was not charged.',
    retry:
      'Yes, with exponential backoff: wait 1 second, then 2, 4 and so on, with some randomness. The Run was not charged.',
    fix: 'If it keeps failing for an hour, contact the operator of the service.',
    example: { detail: 'The platform did not answer in time' },
  },
  internal_error: {
    meaning: 'The service failed. The request itself may be correct.',
    retry:
      'Yes, with exponential backoff: wait 1 second, then 2, 4 and so on, with some randomness. Before you register an endpoint or replay a delivery again, list what exists: the first request may have succeeded.',
    fix: 'If it keeps failing, contact the operator of the service. `instance` is the id of the request.',
  },
};
