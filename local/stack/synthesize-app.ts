import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type SynthesisRequest = {
  /** Output folder of templates and assets. */
  readonly outDir: string;
  /** CDK context. */
  readonly context: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs the CDK app in a separate process, as the CDK CLI does.
 *
 * @throws Error with the output of the app, when it fails
 */
export async function synthesizeApp({ outDir, context, signal }: SynthesisRequest): Promise<void> {
  const child = spawn(process.execPath, ['bin/app.ts'], {
    cwd: repository,
    env: {
      ...process.env,
      CDK_OUTDIR: outDir,
      CDK_CONTEXT_JSON: JSON.stringify(context),
      // Validation takes longer than synthesis and matters only for deployments.
      CDK_VALIDATION: 'false',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  const errorOutput: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => errorOutput.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`Cannot synthesize the CDK app:\n${errorOutput.join('')}`);
}
