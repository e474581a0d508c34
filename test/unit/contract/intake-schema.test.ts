import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { intakeSchema } from '../../../docs/intake-schema.ts';
import { intakeExamples } from '../../support/values/intake-messages.ts';

describe('docs/intake.schema.json', () => {
  it('the file is the schema of the messages: run `npm run docs:openapi`', async () => {
    const text = await readFile(new URL('../../../docs/intake.schema.json', import.meta.url), 'utf8');

    expect(text).toBe(`${JSON.stringify(intakeSchema(), null, 2)}\n`);
  });

  it.each(Object.entries(intakeExamples))('the schema accepts the example %s', (_, example) => {
    expect(z.fromJSONSchema(intakeSchema()).safeParse(example).error).toBeUndefined();
  });

  it.each([{}, { customer_id: 'nobody' }, { run: { id: 'run_1' } }])('the schema refuses %j', (members) => {
    const base = { type: 'run.saved', ...members };

    expect(z.fromJSONSchema(intakeSchema()).safeParse(base).success).toBe(false);
  });
});
