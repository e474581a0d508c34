import type { Problem } from './records.ts';

type Words = readonly [title: string, text: string];

/**
 * What is wrong and what to do, for people: the texts of the API are for programs. These are the codes that the console
 * can meet; one of a later version keeps the texts of the API.
 */
const words: Readonly<Record<string, Words>> = {
  missing_authorization: ['You are not signed in', 'Sign in again.'],
  invalid_key: ['This key or link is not known', 'Check that it is complete, and that it belongs to this service.'],
  key_revoked: ['This key was revoked', 'Sign in with another one.'],
  portal_link_ended: ['This link has ended', 'Ask for a new one where you got it.'],
  portal_link_read_only: ['This link can only read', 'Ask for one that can make changes where you got it.'],
  invalid_token: ['This access token is not valid', 'It may have expired: get another one.'],
  connection_revoked: ['This connection was revoked', 'Connect again, or sign in with an API key.'],
  organization_not_selected: [
    'No organization was selected',
    'Connect again and select one, or sign in with an API key.',
  ],
  organization_access_revoked: ['You no longer have access to this organization', 'Ask one of its administrators.'],
  not_found: ['There is nothing with this id', 'Part of the address may be missing, or it belongs to another account.'],
  invalid_request: ['Something is not right yet', ''],
  rate_limit_exceeded: ['Too many requests', 'There is a limit for each minute, and what this page reads counts.'],
  webhook_limit_exceeded: [
    'All of your slots are in use',
    'Delete an endpoint first. A failed endpoint holds a slot, too.',
  ],
  webhook_rotation_in_progress: [
    'The secret was rotated less than 24 hours ago',
    'Rotate it again when the old secret has ended.',
  ],
  webhook_not_active: [
    'The endpoint is not active',
    'Only an active endpoint receives events. Register its URL again.',
  ],
  delivery_in_progress: ['This delivery has not ended yet', 'It can be resent once it is delivered or has failed.'],
  replay_in_progress: [
    'Deliveries of this endpoint are being resent already',
    'Wait for the end, or stop it, then begin again.',
  ],
  idempotency_in_progress: ['Your request is still under way', 'Repeat it in a moment: it is done once.'],
  internal_error: ['The service has a problem', 'Try again in a moment.'],
} satisfies { readonly [code in Problem['code']]?: Words };

type Said = { readonly code: string | null; readonly title: string; readonly detail: string | null };

/** @returns with `known: false`, the texts of the API: support may have to help */
export function wordsOf({ code, title, detail }: Said) {
  const own = code === null ? undefined : words[code];
  if (own !== undefined) return { title: own[0], text: own[1], known: true };
  return { title, text: detail === null || detail === title ? '' : detail, known: false };
}

export type Fault = { readonly where: string; readonly detail: string };

/** Fields of forms and filters, by where the API finds a fault. */
const fields: Readonly<Record<string, string>> = {
  '/description': 'The description may have at most 500 characters.',
  '?status': 'Choose a status of the list.',
  '?event_type': 'Choose a type of the list.',
  '?event_id': 'An event id is evt_ and 26 characters.',
  '?run_id': 'A Run id begins with run_.',
  '?created_after': 'Choose a time of creation from the list.',
  '?created_before': 'Choose a time of creation from the list.',
};

/** One fault of a request, as a sentence. */
export function faultText({ where, detail }: Fault): string {
  return fields[where] ?? (/[.!?]$/.test(detail) ? detail : `${detail}.`);
}

/** A part of a text; code is between backticks. */
type Part = { readonly text: string; readonly isCode: boolean };

export function partsOf(text: string): readonly Part[] {
  return text
    .split('`')
    .map((part, index) => ({ text: part, isCode: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}
