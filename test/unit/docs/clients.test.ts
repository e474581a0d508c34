import { spawnSync } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pageText } from '../../support/docs/page-blocks.ts';
import { saveClient } from '../../support/docs/page-client.ts';

/** What the page's generator made of docs/openapi.json, before all tests. */
const generated = 'packages/api-client/schema.ts';

/** The compiler that the page installs. */
const tsc = (args: readonly string[]): string =>
  spawnSync(join('test/clients/node_modules/.bin', 'tsc'), args, { encoding: 'utf8' }).stdout;

/** The options with which the page calls the compiler. */
function compilerOptions(): readonly string[] {
  const command = /^npx --no-install tsc (.*) \*\.ts$/m.exec(pageText('clients.md'))?.[1];
  return command?.split(' ') ?? [];
}

const wrongUse = `import type { components } from './api.ts';
type Schemas = components['schemas'];
export const report = (event: Schemas['Event']) =>
  event.type === 'run.completed' ? event.change_report_id : event.type;
export const isSent = (delivery: Schemas['Delivery']) => delivery.status === 'sent';
export const asDelivery = (detail: Schemas['DeliveryDetail']): Schemas['Delivery'] => detail;
`;

describe('docs/pages/clients.md', () => {
  it('its TypeScript compiles in strict mode, and wrong uses do not', async () => {
    const { dir, remove } = await saveClient();
    onTestFinished(remove);
    await writeFile(join(dir, 'wrong-use.ts'), wrongUse);
    const sources = ['deliveries.ts', 'events.ts', 'wrong-use.ts'].map((name) => join(dir, name));

    await copyFile(generated, join(dir, 'api.ts'));
    const output = tsc([...compilerOptions(), '--types', 'node', '--pretty', 'false', ...sources]);

    expect(compilerOptions()).toContain('--strict');
    const faults = output.matchAll(/([\w-]+\.ts)\((\d+),\d+\): error (\w+)/g);
    expect([...faults].map(([, file, line, code]) => [file, line, code])).toEqual([
      ['wrong-use.ts', '4', 'TS2339'],
      ['wrong-use.ts', '5', 'TS2367'],
    ]);
  });
});
