import type { ProblemDefinition, ProblemTexts } from './problem-entry.ts';

/** The codes of a request that is not valid, is repeated, or comes too early or too often. */
export const requestProblems = {
  invalid_request: {
    status: 400,
    title: 'Request is not valid',
    remedy: 'Correct the request. Sending it again unchanged fails the same way.',
  },
  unsupported_platform: {
    status: 400,
    title: 'Platform is not supported',
    remedy: 'Use a supported platform.',
  },
  unsupported_kind: {
    status: 422,
    title: 'Kind is not supported yet',
    remedy: 'Choose another kind.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    remedy: 'Check the method, the path and every identifier in it.',
  },
  idempotency_conflict: {
    status: 409,
    title: 'Idempotency key is taken',
    remedy: 'Use a new `Idempotency-Key` for new work.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'Idempotency key belongs to another request',
    remedy: 'Use a new `Idempotency-Key` for each request, and send the same request again under the same key.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request is in progress',
    remedy: 'Wait the number of seconds in `Retry-After`, then send the same request with the same key again.',
  },
  run_not_ready: {
    status: 409,
    title: 'Run results are not ready',
    remedy: 'While the Run is in progress, poll it until its status is `completed` or `partial`.',
  },
  insufficient_balance: {
    status: 402,
    title: 'Balance is too low',
    remedy: 'Add funds, then start the work again.',
  },
  rate_limit_exceeded: {
    status: 429,
    title: 'Too many requests',
    remedy: 'Wait the number of seconds in `Retry-After`, then retry.',
  },
  concurrency_limit_exceeded: {
    status: 429,
    title: 'Too many Runs in flight',
    remedy: 'Wait the number of seconds in `Retry-After`, then retry.',
  },
  tracker_limit_exceeded: {
    status: 409,
    title: 'Tracker limit is reached',
    remedy: 'Delete a Tracker, then retry.',
  },
} as const satisfies Record<string, ProblemDefinition>;

/** What else their pages say. No bundle of a function has it. */
export const requestTexts: ProblemTexts<keyof typeof requestProblems> = {
  invalid_request: {
    meaning: 'The request does not match the operation. `errors`, when present, lists each fault.',
    retry: 'No. The same request fails in the same way.',
    fix: 'Read `detail`, and `errors` if there is more than one fault: `pointer` names the faulty part (`/url` is the member `url` of the body, `?limit` is the query parameter `limit`, an empty pointer is the whole body).',
    see: ['troubleshooting', 'paging-and-limits', 'first-event'],
    example: {
      detail: '`limit` must be a whole number from 1 to 100',
      errors: [{ pointer: '?limit', detail: '`limit` must be a whole number from 1 to 100' }],
    },
  },
  unsupported_platform: {
    meaning: 'This operation does not cover the platform in the path.',
    retry: 'No. The platform stays unsupported until the service announces it.',
    fix: 'The supported ones are in `detail`, in lower case.',
    example: {
      detail: 'Use a supported platform: tiktok, instagram, youtube',
    },
  },
  unsupported_kind: {
    meaning: 'The request is valid, but the service does not support this kind yet. Nothing was created or charged.',
    retry: 'No. The kind stays unsupported until the service announces it.',
  },
  not_found: {
    meaning: 'The resource does not exist or belongs to another customer, or the path or method is unknown.',
    retry: 'No, unless the resource is about to be created, such as a Run that was started a moment ago.',
    fix: 'Check that the key belongs to the customer who owns the resource: the resources of other customers answer `not_found` too. A deleted endpoint can be read, but not rotated or deleted again.',
    see: ['troubleshooting'],
  },
  idempotency_conflict: {
    meaning:
      'The `Idempotency-Key` was used before with a different payload. `run_id` is the Run of the first request.',
    retry: 'No. The key belongs to another request.',
    fix: 'Use the same one only to repeat the identical request. `run_id` is the Run that the key belongs to.',
    example: { run_id: 'run_01KB3NPX5G7H9J1K3M5N7P9Q1R' },
  },
  idempotency_key_reused: {
    meaning: 'The `Idempotency-Key` stands for another request of the last 24 hours.',
    retry: 'No. Under this key, every other request fails in the same way for 24 hours.',
    fix: 'Make a new key, such as a UUID, for each thing that you want done, and keep it until you have the answer. Two requests are the same if operation, path and body are.',
  },
  idempotency_in_progress: {
    meaning: 'Another request with the same `Idempotency-Key` is under way.',
    retry:
      'Yes, with the same key, after the number of seconds in `Retry-After`. You get the answer of the first request.',
    example: { retryAfter: 5 },
  },
  run_not_ready: {
    meaning: 'The Run has not settled yet, or it failed and has no results.',
    retry: 'Yes, once the Run is `completed` or `partial`. No, when the Run is `failed`: nothing can be read from it.',
    fix: 'You can also wait for the event `run.completed`. When the status is `failed`, `error` of the Run says why.',
    see: ['events'],
  },
  insufficient_balance: {
    meaning:
      'The balance does not cover the price: `required_usd` is needed, `balance_usd` is available. On an item of a partial Run: the balance ran out before this item.',
    retry: 'Yes, after you have added funds.',
    fix: 'Add at least the difference between `required_usd` and `balance_usd`. Items of a partial Run that came before this one were delivered and charged.',
    example: { balance_usd: 0.4, required_usd: 1.25 },
  },
  rate_limit_exceeded: {
    meaning: 'The credential has reached its limit of requests per minute. `limit` is the number of requests.',
    retry: 'Yes, after the number of seconds in the header `Retry-After`.',
    fix: 'To stay below the limit, read `RateLimit` in every answer, and prefer events to polling. Requests above the limit are refused and do not count.',
    see: ['paging-and-limits'],
    example: { limit: 60, retryAfter: 17 },
  },
  concurrency_limit_exceeded: {
    meaning: 'The customer has reached the limit of unfinished Runs.',
    retry: 'Yes, after the number of seconds in the header `Retry-After`.',
    fix: 'The next Run can start once one of yours has settled.',
    example: { retryAfter: 30 },
  },
  tracker_limit_exceeded: {
    meaning: 'The customer has reached the limit of Trackers.',
    retry: 'No. Waiting does not free a place.',
  },
};
