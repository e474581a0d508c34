import type { Problem } from './records.ts';

/** What is wrong and what to do, for people. The texts of the API are for programs. */
type Words = { readonly title: string; readonly text: string };

/** Codes that the console can meet. A code of a later version keeps the texts of the API. */
const words: Readonly<Record<string, Words>> = {
  missing_authorization: { title: 'You are not signed in', text: 'Sign in again.' },
  invalid_key: {
    title: 'This key or link is not known',
    text: 'Check that it is complete, and that it belongs to this service.',
  },
  key_revoked: { title: 'This key was revoked', text: 'Sign in with another one.' },
  portal_link_ended: { title: 'This link has ended', text: 'Ask for a new one where you got it.' },
  portal_link_read_only: {
    title: 'This link can only read',
    text: 'Ask for one that can make changes where you got it.',
  },
  invalid_token: { title: 'This access token is not valid', text: 'It may have expired: get another one.' },
  connection_revoked: { title: 'This connection was revoked', text: 'Connect again, or sign in with an API key.' },
  organization_not_selected: {
    title: 'No organization was selected',
    text: 'Connect again and select one, or sign in with an API key.',
  },
  organization_access_revoked: {
    title: 'You no longer have access to this organization',
    text: 'Ask one of its administrators.',
  },
  not_found: {
    title: 'There is nothing with this id',
    text: 'Part of the address may be missing, or it belongs to another account.',
  },
  invalid_request: { title: 'Something is not right yet', text: '' },
  rate_limit_exceeded: {
    title: 'Too many requests',
    text: 'There is a limit for each minute, and what this page reads counts.',
  },
  webhook_limit_exceeded: {
    title: 'All of your slots are in use',
    text: 'Delete an endpoint first. A failed endpoint holds a slot, too.',
  },
  webhook_rotation_in_progress: {
    title: 'The secret was rotated less than 24 hours ago',
    text: 'Rotate it again when the old secret has ended.',
  },
  webhook_not_active: {
    title: 'The endpoint is not active',
    text: 'Only an active endpoint receives events. Register its URL again.',
  },
  delivery_in_progress: {
    title: 'This delivery has not ended yet',
    text: 'It can be resent once it is delivered or has failed.',
  },
  replay_in_progress: {
    title: 'Deliveries of this endpoint are being resent already',
    text: 'Wait for the end, or stop it, then begin again.',
  },
  idempotency_in_progress: {
    title: 'Your request is still under way',
    text: 'Repeat it in a moment: it is done once.',
  },
  internal_error: { title: 'The service has a problem', text: 'Try again in a moment.' },
} satisfies { readonly [code in Problem['code']]?: Words };

type Said = { readonly code: string | null; readonly title: string; readonly detail: string | null };

/** @returns with `known: false`, the texts of the API: support may have to help */
export function wordsOf({ code, title, detail }: Said): Words & { readonly known: boolean } {
  const own = code === null ? undefined : words[code];
  if (own !== undefined) return { ...own, known: true };
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
