import { idAlphabet } from './ids.ts';

/** Eight groups of endpoints: when attempts fail in most of them, the cause is probably the service. */
export const endpointGroups = ['0', '1', '2', '3', '4', '5', '6', '7'] as const;

export type EndpointGroup = (typeof endpointGroups)[number];

/**
 * The group of an endpoint, which never changes. Ids end in random digits, so that an eighth of the endpoints is in
 * each group, and one endpoint is in one group however many attempts it gets.
 */
export function endpointGroupOf(webhookId: string): EndpointGroup {
  const digit = idAlphabet.indexOf(webhookId.charAt(webhookId.length - 1));
  return endpointGroups[digit % endpointGroups.length] ?? '0';
}
