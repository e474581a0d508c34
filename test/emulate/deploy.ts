import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Emulator } from './emulator.ts';

const templateSchema = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string() })),
});
const outputsSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** Writes the templates of the app in `cwd` to `out`, without what the emulator refuses. */
export async function synthesize({ run }: Emulator, cwd: string, out: string): Promise<string> {
  await run(cwd, 'cdk', 'synth', '--quiet', '--output', out);
  const files = (await readdir(out)).filter((file) => file.endsWith('.template.json'));
  await Promise.all(files.map((file) => removeAlarms(join(out, file))));
  return out;
}

/** The emulator has no alarms on expressions, and the dashboard shows the alarms. Nothing else names either. */
async function removeAlarms(file: string): Promise<void> {
  const template = templateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const left = Object.entries(template.Resources).filter(([, { Type }]) => !/^AWS::CloudWatch::/.test(Type));
  await writeFile(file, JSON.stringify({ ...template, Resources: Object.fromEntries(left) }));
}

/** Deploys templates with the CLI of the CDK. @returns the outputs of each stack */
export async function deploy({ run }: Emulator, app: string, ...stacks: readonly string[]) {
  const file = join(app, 'outputs.json');
  const options = ['--require-approval', 'never', '--outputs-file', file];
  await run(app, 'cdk', 'deploy', '--app', app, ...options, ...(stacks.length > 0 ? stacks : ['--all']));
  return outputsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}
