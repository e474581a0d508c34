import type { Group } from './check.ts';
import { authentication } from './checks/authentication.ts';
import { deliveryFields } from './checks/delivery-fields.ts';
import { errors } from './checks/errors.ts';
import { eventFields } from './checks/event-fields.ts';
import { events } from './checks/events.ts';
import { limits } from './checks/limits.ts';
import { listPageFields } from './checks/list-page-fields.ts';
import { paging } from './checks/paging.ts';
import { problemFields } from './checks/problem-fields.ts';
import { refusedUrls } from './checks/refused-urls.ts';
import { register } from './checks/register.ts';
import { service } from './checks/service.ts';
import { deliveryStates, runStates, webhookStates } from './checks/states.ts';
import { storedResults } from './checks/stored-results.ts';
import { versioning } from './checks/versioning.ts';
import { videoFields } from './checks/video-fields.ts';
import { webhookFields } from './checks/webhook-fields.ts';
import { webhookOperations } from './checks/webhook-operations.ts';

/** Every check, in the order of the contract's headings. */
export const catalogue: readonly Group[] = [
  ...service,
  webhookFields,
  deliveryFields,
  eventFields,
  problemFields,
  listPageFields,
  videoFields,
  webhookStates,
  deliveryStates,
  runStates,
  register,
  refusedUrls,
  ...webhookOperations,
  ...storedResults,
  ...paging,
  ...authentication,
  ...events,
  ...errors,
  ...limits,
  versioning,
];

/** @returns the groups with the checks that are asked for: by heading, by section or by name, or by a part of one */
export function selectChecks(groups: readonly Group[], wanted: readonly string[]): readonly Group[] {
  if (wanted.length === 0) return groups;
  const selected = groups
    .map((group) => ({
      ...group,
      checks: group.checks.filter((check) => isWanted(group, check.name, wanted)),
    }))
    .filter(({ checks }) => checks.length > 0);
  if (selected.length === 0) throw new Error(`No check, section or heading is called ${wanted.join(' or ')}`);
  return selected;
}

function isWanted({ heading, section }: Group, name: string, wanted: readonly string[]): boolean {
  return wanted.some((text) => {
    const isWhole = [heading, section, name].includes(text);
    return isWhole || name.toLowerCase().includes(text.toLowerCase());
  });
}
