import { describe, expect, it } from 'vitest';
import { fromEndpointItem, toEndpointItem, toOwedText } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { buildEndpoint, buildOwedNotice, customerId, webhookId } from '../../support/values/builders.ts';

const notice = buildOwedNotice();
const text = toOwedText(notice);
const endpoint = buildEndpoint();
const itemOwing = (...texts: readonly string[]) => ({
  ...liveEndpointKey(customerId, webhookId),
  ...toEndpointItem(endpoint),
  owed_notices: new Set(texts),
});

describe('an owed notice that this release cannot read', () => {
  it.each([
    ['no JSON', 'text'],
    ['a type of another release', text.replace('endpoint.failing', 'endpoint.asleep')],
    ['a missing member', text.replace(/"outcome":"[^"]*",/, '')],
    ['a member of another kind', text.replace(/"at":\d+/, '"at":"today"')],
  ])('is left out, and hides neither the endpoint nor the other notices: %s', (_what, unreadable) => {
    expect(unreadable).not.toBe(text);

    expect(fromEndpointItem(itemOwing(unreadable, text))).toEqual({ ...endpoint, owedNotices: [notice] });
    expect(fromEndpointItem(itemOwing(unreadable))).toEqual(endpoint);
  });
});
