import type * as z from 'zod/mini';
import type { Problem } from '#shared/contract/problem.ts';

/** Describes an operation beyond its route. */
export type Operation = {
  /** Markdown. */
  readonly description: string;
  /** What a successful response contains. */
  readonly success: string;
  readonly query?: z.ZodMiniObject;
  readonly body?: z.core.$ZodType;
  /** A fault that its body can have. */
  readonly fault?: Problem;
  /** Schema of a successful response; `null` without a body, `html` for a page. */
  readonly response: z.core.$ZodType | 'html' | null;
};

export type OperationDetails = Operation & { readonly tag: Exclude<keyof typeof tagTexts, 'Events'> };

/** Texts of the sections of the document. */
export const tagTexts = {
  Webhooks: 'Register, read and delete endpoints, and rotate their secrets.',
  Deliveries: 'Find out what happened to an event, and send it again.',
  Results: 'Read the Runs, Trackers and videos that events link to.',
  Credentials: 'Who requests act for.',
  Documentation: 'Pages for people.',
  Events: 'The requests that your endpoint receives.',
} as const;

/** Ends the description of each list. */
export const paging =
  'Each page has `items` and `next_cursor`. To read the next page, send `next_cursor` as `cursor`, with the same ' +
  'filters. Stop when `next_cursor` is `null`, not when a page is short: a page can be empty and have a next one. ' +
  'Records that are created while you read do not move the pages that follow.';
