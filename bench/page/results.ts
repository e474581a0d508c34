import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { BenchResult } from '../bench.ts';

/** Where the results are kept that docs/performance.md shows. */
const resultsFile = fileURLToPath(new URL('../../docs/performance/results.json', import.meta.url));

const cell = z.union([z.string(), z.number(), z.null()]);
const tableSchema = z.object({
  title: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)),
  notes: z.array(z.string()).exactOptional(),
});
const plotSchema = z.object({
  id: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string(),
  unit: z.string(),
  bars: z.array(z.object({ label: z.string(), value: z.number(), group: z.string().exactOptional() })),
  limits: z.array(z.object({ label: z.string(), value: z.number() })).exactOptional(),
});
const resultSchema = z.object({
  tables: z.array(tableSchema),
  figures: z.record(z.string(), z.number()),
  plots: z.array(plotSchema).exactOptional(),
}) satisfies z.ZodType<BenchResult>;

const machineSchema = z.object({
  cores: z.number(),
  memoryGb: z.number(),
  cpu: z.string(),
  node: z.string(),
  /** Processes that ran or waited to run in the minute before the start, on average. */
  load: z.number(),
});

export type Machine = z.infer<typeof machineSchema>;

const savedSchema = z.object({ date: z.iso.date(), machine: machineSchema, result: resultSchema });

/** The last saved result of each benchmark, by its name. */
const resultsSchema = z.record(z.string(), savedSchema);

export type SavedResult = z.infer<typeof savedSchema>;
export type SavedResults = z.infer<typeof resultsSchema>;

/** The shape of this machine, without anything that identifies it. */
export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    node: process.versions.node,
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}

/** @throws Error when the file has another form */
export async function readResults(file: string = resultsFile): Promise<SavedResults> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  return resultsSchema.parse(JSON.parse(text));
}

/** Replaces the saved results of these benchmarks and keeps those of all others. */
export async function saveResults(
  results: Readonly<Record<string, BenchResult>>,
  measuredOn: { readonly date: string; readonly machine: Machine },
  file: string = resultsFile,
): Promise<SavedResults> {
  const added = Object.entries(results).map(([name, result]) => [
    name,
    { ...measuredOn, result: storable(result) },
  ]);
  const merged = resultsSchema.parse({ ...(await readResults(file)), ...Object.fromEntries(added) });
  await writeFile(file, `${JSON.stringify(merged, null, 2)}\n`);
  return merged;
}

/** JSON has no infinity: what was never reached is `null` in a table, and left out elsewhere. */
function storable({ tables, figures, plots = [] }: BenchResult): BenchResult {
  return {
    tables: tables.map((table) => ({
      ...table,
      rows: table.rows.map((row) => row.map((value) => (isInfinite(value) ? null : value))),
    })),
    figures: Object.fromEntries(Object.entries(figures).filter(([, value]) => !isInfinite(value))),
    plots: plots.map((plot) => ({ ...plot, bars: plot.bars.filter(({ value }) => !isInfinite(value)) })),
  };
}

function isInfinite(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}
