import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { StackSettings } from './stack-options.ts';

const portsSchema = z.object({ endpoint: z.number(), inbox: z.number() });

export type ReceiverPorts = Readonly<z.infer<typeof portsSchema>>;

/** Ports of the test receiver: those of the run before, to which kept endpoints point, else the wanted ones. */
export async function receiverPorts({
  dataDir,
  receiverPorts: wanted,
}: StackSettings): Promise<ReceiverPorts> {
  if (dataDir === undefined) return wanted;
  const text = await readFile(portsFile(dataDir), 'utf8').catch(() => undefined);
  return text === undefined ? wanted : portsSchema.parse(JSON.parse(text));
}

export async function keepReceiverPorts({ dataDir }: StackSettings, ports: ReceiverPorts): Promise<void> {
  if (dataDir !== undefined) await writeFile(portsFile(dataDir), JSON.stringify(ports));
}

function portsFile(dataDir: string): string {
  return path.join(dataDir, 'receiver-ports.json');
}
