import { authentication } from './checks/authentication.ts';
import { deliveryFields } from './checks/delivery-fields.ts';
import { errors } from './checks/errors.ts';
import { eventFields } from './checks/event-fields.ts';
import { events } from './checks/events.ts';
import { limits } from './checks/limits.ts';
import { paging } from './checks/paging.ts';
import { publishedPages } from './checks/published-pages.ts';
import { realDelivery } from './checks/real-delivery.ts';
import { refusedUrls } from './checks/refused-urls.ts';
import { register } from './checks/register.ts';
import { responseFields } from './checks/response-fields.ts';
import { service } from './checks/service.ts';
import { states } from './checks/states.ts';
import { storedResults } from './checks/stored-results.ts';
import { versioning } from './checks/versioning.ts';
import { videoFields } from './checks/video-fields.ts';
import { webhookFields } from './checks/webhook-fields.ts';
import { webhookOperations } from './checks/webhook-operations.ts';
import type { Check, Group } from './harness/check.ts';

/** Every check, from single records to whole journeys. */
export const catalogue: readonly Group[] = [
  ...service,
  ...publishedPages,
  ...realDelivery,
  ...webhookFields,
  ...deliveryFields,
  ...eventFields,
  ...responseFields,
  ...videoFields,
  ...states,
  ...register,
  ...refusedUrls,
  ...webhookOperations,
  ...storedResults,
  ...paging,
  ...authentication,
  ...events,
  ...errors,
  ...limits,
  ...versioning,
];

/**
 * @param wanted headings, sections, names of checks, or parts of names; empty for all checks
 * @returns the groups with the selected checks
 */
export function selectChecks(groups: readonly Group[], wanted: readonly string[]): readonly Group[] {
  if (wanted.length === 0) return groups;
  const tests = wanted.map((text) => testFor(groups, text));
  return filterChecks(groups, (group, check) => tests.some((test) => test(group, check)));
}

type Test = (group: Group, check: Check) => boolean;

function testFor(groups: readonly Group[], text: string): Test {
  const lower = text.toLowerCase();
  const isWhole: Test = ({ heading, section }, { name }) =>
    [heading, section, name].some((title) => title.toLowerCase() === lower);
  if (filterChecks(groups, isWhole).length > 0) return isWhole;
  const isPart: Test = (_, { name }) => name.toLowerCase().includes(lower);
  if (filterChecks(groups, isPart).length > 0) return isPart;
  throw new Error(`Heading, section or check ${text} not found. List them with: --list`);
}

/** The groups with the checks that `accepts` takes; those without any are left out. */
export function filterChecks(
  groups: readonly Group[],
  accepts: (group: Group, check: Check) => boolean,
): readonly Group[] {
  return groups
    .map((group) => ({ ...group, checks: group.checks.filter((check) => accepts(group, check)) }))
    .filter(({ checks }) => checks.length > 0);
}
