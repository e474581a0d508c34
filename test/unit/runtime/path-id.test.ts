import { describe, expect, it } from 'vitest';
import { deliveryPath, pathId } from '#shared/runtime/path-id.ts';
import { deliveryIdNumber, webhookId } from '../../support/values/builders.ts';

const notFound = expect.objectContaining({ code: 'not_found' });

describe('pathId()', () => {
  it('gives an id that this service can have made', () => {
    expect(pathId({ id: webhookId }, 'id', 'webhook')).toBe(webhookId);
  });

  it.each([{}, { id: '' }, { id: 'whe_1' }, { id: deliveryIdNumber(1) }, { id: `${webhookId}#` }])(
    'finds nothing for %o',
    (path) => {
      expect(() => pathId(path, 'id', 'webhook')).toThrow(notFound);
    },
  );
});

describe('deliveryPath()', () => {
  it('gives both ids', () => {
    const path = { id: webhookId, deliveryId: deliveryIdNumber(1) };

    expect(deliveryPath(path)).toEqual({ webhookId, id: deliveryIdNumber(1) });
  });

  it('finds nothing when one of the ids is foreign', () => {
    expect(() => deliveryPath({ id: webhookId, deliveryId: 'x' })).toThrow(notFound);
    expect(() => deliveryPath({ id: 'x', deliveryId: deliveryIdNumber(1) })).toThrow(notFound);
  });
});
