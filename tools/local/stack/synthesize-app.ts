import { spawn } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';

export type SynthesisRequest = {
  /** Output folder of templates and assets. */
  readonly outDir: string;
  /** CDK context. */
  readonly context: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Runs the CDK app in a separate process, as the CDK CLI does. Without a change of its sources since an earlier run, the
 * process uses the assembly of that run.
 *
 * @throws Error with the output of the app, when it fails
 */
export async function synthesizeApp({ outDir, context, signal }: SynthesisRequest): Promise<void> {
  const child = spawn(process.execPath, ['bin/local-app.ts', JSON.stringify({ outDir, context })], {
    cwd: repository,
    env: {
      ...process.env,
      ...compileCache(),
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

/** Child processes do not inherit the compile cache of this process. */
function compileCache(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
