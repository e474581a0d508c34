import * as z from 'zod';
import { Program, type Workplace } from '../support/stack/stack-process.ts';

const auditResult = z.object({
  complete: z.boolean(),
  pending: z.record(z.string(), z.number()),
});

/** Runs the operator's audit. @returns the problems that it reports */
export async function audit({ dir, stackFile }: Workplace): Promise<readonly string[]> {
  const args = ['bin/admin.ts', 'audit', '--json', '--stack-file', stackFile];
  const program = await Program.start(process.execPath, args, { cwd: dir });
  const code = await program.exited();
  if (code !== 0) return [`The audit ended with ${code}: ${program.output.trim()}`];
  const { complete, pending } = auditResult.parse(JSON.parse(program.output));
  const left = Object.entries(pending).filter(([, count]) => count > 0);
  return [
    ...(complete ? [] : ['The audit is not complete']),
    ...left.map(([state, count]) => `The audit finds ${count} deliveries ${state}`),
  ];
}
