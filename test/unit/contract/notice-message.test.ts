import { describe, expect, it } from 'vitest';
import { toNoticeMessage } from '#shared/contract/messages/notice-message.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { isOwnId } from '#shared/domain/ids.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import { parseRoute } from '../../../console/routing/route.ts';
import { buildEndpoint, buildOwedNotice } from '../../support/values/builders.ts';

const origin = { stage: 'prod', consoleUrl: 'https://api.example.com/console' };
const endpoint = buildEndpoint({ url: 'https://user:password@hooks.example.com:8443/a/b?token=secret#part' });
const messageOf = (given: Partial<OwedNotice> = {}, customer: Customer | null = null) =>
  toNoticeMessage({ endpoint, customer }, { ...buildOwedNotice(given), deliveredShare: 0.75 }, origin);

describe('toNoticeMessage()', () => {
  it('says what changed, when, where, why, and where to look, without what may be secret in a URL', () => {
    const { id, ...message } = messageOf();

    expect(isOwnId('notice', id)).toBe(true);
    expect(message).toEqual({
      type: 'endpoint.failing',
      time: '2026-11-20T12:00:00.500Z',
      stage: 'prod',
      customer: { id: endpoint.customerId, public_name: null, reference: null, metadata: {} },
      endpoint: { id: endpoint.id, url: 'https://hooks.example.com:8443/a/b' },
      failing_since: '2026-11-20T12:00:00.500Z',
      cause: {
        delivery_id: buildOwedNotice().deliveryId,
        outcome: 'rejected',
        response_status: 503,
        error: 'The receiver responded with status 503',
      },
      delivered_share: 0.75,
      links: { console: expect.stringMatching(/^https:\/\/api\.example\.com\/console#/) },
    });
  });

  it('says whose endpoint it is in the words of the operator, so that a program can tell the customer', () => {
    const named = {
      name: 'Account 4711',
      publicName: 'Acme',
      reference: 'acct_4711',
      metadata: { plan: 'pro' },
    };
    const { customer } = messageOf({}, { id: endpoint.customerId, createdAt: 0, ...named });

    expect(customer).toEqual({
      ...{ id: endpoint.customerId, public_name: 'Acme' },
      ...{ reference: 'acct_4711', metadata: { plan: 'pro' } },
    });
  });

  it('its link opens the endpoint in the console', () => {
    const { hash } = new URL(messageOf().links.console);

    expect(parseRoute(hash)).toEqual({ view: 'endpoint', webhookId: endpoint.id });
  });

  it('has one id for each change, whatever else it says', () => {
    const others = [messageOf({ type: 'endpoint.recovered' }), messageOf({ at: 1 })];

    expect(messageOf({ error: 'other', deliveryId: 'whd_other' }).id).toBe(messageOf().id);
    expect(new Set([messageOf(), ...others].map(({ id }) => id)).size).toBe(3);
  });
});
