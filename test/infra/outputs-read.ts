import * as z from 'zod';

/** An output of another stack that a template reads. */
export type OutputRead = { readonly stack: string; readonly output: string };

const readSchema = z.strictObject({
  'Fn::GetStackOutput': z.object({ StackName: z.string(), OutputName: z.string() }),
});

/** Every output that a template reads, by the name of its stack. */
export function outputsReadIn(template: unknown): readonly OutputRead[] {
  return objectsIn(template).flatMap((value) => {
    const parsed = readSchema.safeParse(value);
    if (!parsed.success) return [];
    const { StackName, OutputName } = parsed.data['Fn::GetStackOutput'];
    return [{ stack: StackName, output: OutputName }];
  });
}

function objectsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
