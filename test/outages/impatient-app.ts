import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { queueFunctionTimeout } from '../../lib/functions/function-settings.ts';
import type { StackOptions } from '../../tools/local/stack/stack-options.ts';
import { synthesizeApp } from '../../tools/local/stack/synthesize-app.ts';

/** The waits of 10 and 50 minutes become 0.5 and 2.5 seconds. */
export const timeScale = 1200;

/**
 * Seconds after which a message whose batch failed is visible again. The deployed three minutes would pass after each
 * failure. A message that is received too early finds its attempt claimed and returns to the queue.
 */
const visibilitySeconds = 5;

/** As deployed. The timeout of a queue whose batches are collected for some seconds is longer by that time. */
const visibilityWithoutWindow = 6 * queueFunctionTimeout;

const queueSchema = z.object({ VisibilityTimeout: z.number() });

const templateSchema = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.looseObject({}).optional() })),
});

/** Synthesizes the app with a short visibility timeout of its queues. */
export const impatientApp: NonNullable<StackOptions['synthesize']> = async (request) => {
  await synthesizeApp(request);
  const templates = (await readdir(request.outDir)).filter((file) => file.endsWith('.template.json'));
  await Promise.all(templates.map((file) => shortenVisibility(join(request.outDir, file))));
};

async function shortenVisibility(file: string): Promise<void> {
  const template = templateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  for (const { Type, Properties } of Object.values(template.Resources)) {
    // The dead-letter queues have no consumer.
    if (Type !== 'AWS::SQS::Queue' || Properties?.RedrivePolicy === undefined) continue;
    const batchWindow = queueSchema.parse(Properties).VisibilityTimeout - visibilityWithoutWindow;
    Properties.VisibilityTimeout = visibilitySeconds + batchWindow;
  }
  await writeFile(file, JSON.stringify(template));
}
