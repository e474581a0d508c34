import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { StoredChangeReport, StoredTracker } from '../../contract/intake-message.ts';
import type { FanOut } from '../../operations/fan-out.ts';
import type { Table } from '../clients.ts';
import { isRefused, orRefused } from './conditional-write.ts';
import { changeReportKey, trackerKey } from './keys.ts';
import { fanOutItem } from './runs.ts';

const reportItem = z.object({ fan_out: fanOutItem });

export function storeTracker(table: Table) {
  return async (customerId: string, tracker: StoredTracker): Promise<void> => {
    await table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...trackerKey(customerId, tracker.id), tracker: JSON.stringify(tracker) },
      }),
    );
  };
}

/** Stores a Change Report with the fan-out of its event, unless it is stored. @returns the fan-out as stored */
export function storeChangeReport(table: Table) {
  return async (
    customerId: string,
    trackerId: string,
    report: StoredChangeReport,
    fanOut: FanOut,
  ): Promise<FanOut> => {
    const result = await orRefused(
      table.client.send(
        new PutCommand({
          TableName: table.name,
          Item: {
            ...changeReportKey(customerId, trackerId, report),
            report: JSON.stringify(report),
            fan_out: fanOut,
          },
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    );
    return isRefused(result) ? reportItem.parse(result.item).fan_out : fanOut;
  };
}
