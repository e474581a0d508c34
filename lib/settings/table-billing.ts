import { Billing, Capacity } from 'aws-cdk-lib/aws-dynamodb';
import type { CapacityBounds, ProvisionedCapacity, TableCapacity } from './table-capacity.ts';

type IndexCapacity = { readonly readCapacity?: Capacity; readonly writeCapacity?: Capacity };

/**
 * The listed index takes one write for four of the table. The waiting index is idle until endpoints fail, and then
 * lives on unused capacity of the last five minutes until auto scaling adds some.
 */
const indexShare = 1 / 4;

export function billingOf(capacity: TableCapacity): Billing {
  if (capacity === 'on-demand') return Billing.onDemand();
  return Billing.provisioned({
    readCapacity: scaled(capacity, capacity.reads),
    writeCapacity: scaled(capacity, capacity.writes),
  });
}

/**
 * Capacity of each index. Its maximum is the table's: a throttled index throttles the writes of the table, whatever
 * capacity the table has.
 */
export function indexCapacityOf(capacity: TableCapacity): IndexCapacity {
  if (capacity === 'on-demand') return {};
  const { reads, writes } = capacity;
  return { readCapacity: scaled(capacity, shareOf(reads)), writeCapacity: scaled(capacity, shareOf(writes)) };
}

function shareOf({ min, max }: CapacityBounds): CapacityBounds {
  return { min: Math.ceil(min * indexShare), max };
}

/**
 * CloudFormation refuses to change the capacity mode of a table without seeds. They apply until the scaling policies
 * exist.
 */
function scaled({ utilization }: ProvisionedCapacity, { min, max }: CapacityBounds): Capacity {
  return Capacity.autoscaled({
    minCapacity: min,
    maxCapacity: max,
    seedCapacity: min,
    targetUtilizationPercent: utilization,
  });
}
