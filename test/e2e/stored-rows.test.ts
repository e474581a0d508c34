import { describe, expect, inject, it } from 'vitest';
import { createServiceClient } from '../../tools/local/stack/service-client.ts';
import { emitProgram } from '../../tools/operator/emit/emit-program.ts';
import { howToRecord, releasedRows, unnamedAttributes, withKinds } from '../support/releases/released-rows.ts';
import { scanTable } from '../support/releases/scan-table.ts';
import { storeEveryKind } from '../support/releases/store-every-kind.ts';
import { runAdmin, runCommand, useOperator } from '../support/stack/operate.ts';

const { info } = inject('stack');
const { stackFile } = useOperator();

describe('the rows of a stack that stores every kind', () => {
  it('docs/table.md names all of their attributes, and the recorded rows have them', async () => {
    const file = await stackFile({ stack: info });
    const { call, close } = createServiceClient('dynamodb', info.endpoints.dynamodb);
    const rows = withKinds(
      await storeEveryKind({
        admin: async (...args) => JSON.parse(await succeeded(runAdmin(...args, '--json', '--stack-file', file))),
        emit: async (...args) => {
          await succeeded(runCommand(emitProgram, [...args, '--stack-file', file]));
        },
        apiUrl: info.api_url,
        receiver: info.receiver.origin,
        scan: () => scanTable(call, info.table_name),
        scanEvery: 500,
      }).finally(close),
    );

    const recorded = new Set(releasedRows('unreleased').flatMap(attributesOf));
    const unrecorded = rows.flatMap(attributesOf).filter((name) => !recorded.has(name));

    expect(unnamedAttributes(rows), 'Add them to docs/table.md').toEqual([]);
    expect([...new Set(unrecorded)], howToRecord).toEqual([]);
  });
});

const attributesOf = ({ kind, row }: ReturnType<typeof withKinds>[number]) =>
  Object.keys(row).map((name) => `${kind?.name}: ${name}`);

async function succeeded(outcome: ReturnType<typeof runAdmin>): Promise<string> {
  const { code, output } = await outcome;
  expect([code, output]).toEqual([0, expect.any(String)]);
  return output;
}
