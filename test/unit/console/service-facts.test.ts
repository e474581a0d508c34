import { expect, it } from 'vitest';
import { limits } from '#shared/contract/limits.ts';
import { statusFilters } from '#shared/domain/delivery.ts';
import { attemptTimeout, maxAttempts } from '#shared/domain/retry-plan.ts';
import { statsWindows } from '#shared/domain/stats-window.ts';
import * as facts from '../../../console/api/service-facts.ts';
import { openApiDocument } from '../../../site/openapi/document.ts';

it('the console says of the retry plan, the slots, the signature and the filters what the service does', () => {
  expect(facts.attemptLimit).toBe(attemptTimeout);
  expect(facts.maxAttempts).toBe(maxAttempts);
  expect(facts.slots).toBe(limits.endpointsPerCustomer);
  expect(facts.deliveryStatuses).toEqual(statusFilters);
  expect(facts.statsWindows).toEqual(statsWindows);
  const { webhooks } = openApiDocument();
  expect(JSON.stringify(webhooks)).toContain(
    `Reject a timestamp that is more than ${facts.signatureTolerance} seconds from the current`,
  );
});
