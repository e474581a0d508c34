import * as z from 'zod';

/** An output of another stack that a template reads. */
export type OutputRead = { readonly stack: string; readonly output: string };

const readSchema = z.strictObject({
  'Fn::GetStackOutput': z.object({ StackName: z.string(), OutputName: z.string() }),
});

/** The CDK names an export after the stack and the output. */
const importSchema = z.strictObject({ 'Fn::ImportValue': z.templateLiteral([z.string(), ':', z.string()]) });

/** Every output that a template reads weakly, by the name of its stack: nothing keeps the output from disappearing. */
export function outputsReadIn(template: unknown): readonly OutputRead[] {
  return objectsIn(template).flatMap((value) => {
    const parsed = readSchema.safeParse(value);
    if (!parsed.success) return [];
    const { StackName, OutputName } = parsed.data['Fn::GetStackOutput'];
    return [{ stack: StackName, output: OutputName }];
  });
}

/** Every output that a template imports, by the name of its stack: CloudFormation refuses to remove its export. */
export function importsIn(template: unknown): readonly OutputRead[] {
  return objectsIn(template).flatMap((value) => {
    const parsed = importSchema.safeParse(value);
    if (!parsed.success) return [];
    const [stack = '', output = ''] = parsed.data['Fn::ImportValue'].split(':');
    return [{ stack, output }];
  });
}

function objectsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
