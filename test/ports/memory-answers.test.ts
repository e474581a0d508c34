import fc from 'fast-check';
import { it } from 'vitest';
import { inProcessTable } from '../support/aws/in-process-table.ts';
import { memoryTablePorts } from '../support/memory/table-ports.ts';
import { customerId } from '../support/values/builders.ts';
import { dynamodbTablePorts } from './dynamodb-ports.ts';
import { anyCall, call, compareAnswers, idOf, reserve, webhook } from './port-calls.ts';

const sequences = 40;

/** The model forgets which endpoint had an id before: an id is new whenever an endpoint is registered. */
const anyRegistration = call('register', [webhook], async (ports, name) =>
  (await ports.readEndpoint(customerId, idOf(name))) === null ? reserve(ports, name, 1) : 'known',
);

it.each(Array.from({ length: sequences }, (_, seed) => seed))(
  'the table in memory and DynamoDB answer alike to whatever is asked of them in turn (%i)',
  async (seed) => {
    const anyOfAll = fc.oneof({ weight: 18, arbitrary: anyCall }, { weight: 1, arbitrary: anyRegistration });
    await compareAnswers(anyOfAll, seed, memoryTablePorts(), dynamodbTablePorts(inProcessTable()));
  },
);
