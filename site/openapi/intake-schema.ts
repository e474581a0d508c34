import * as z from 'zod';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';

/**
 * The file with the JSON Schema of the intake's messages, for producers in other languages. It cannot say what compares
 * two members, counts bytes or finds half a surrogate pair: docs/intake.md does.
 */
export function intakeSchemaFile(): string {
  // Many languages know neither `\p` nor `\u` in a pattern, and most have no text with half a surrogate pair.
  const json = JSON.stringify(intakeSchema(), null, 2).replaceAll(
    String.raw`\\p{Cc}\\p{Cs}\\uFFFE\\uFFFF`,
    String.raw`\u0000-\u001f\u007f-\u009f\ufffe\uffff`,
  );
  return `${json}\n`;
}

function intakeSchema(): z.core.JSONSchema.JSONSchema {
  const schema = z.toJSONSchema(intakeMessage, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // The format says it shorter.
      if (jsonSchema.format === 'date-time') Reflect.deleteProperty(jsonSchema, 'pattern');
      for (const bound of ['minimum', 'maximum'] as const) {
        if (Math.abs(Number(jsonSchema[bound])) === Number.MAX_SAFE_INTEGER) Reflect.deleteProperty(jsonSchema, bound);
      }
    },
  });
  return {
    ...schema,
    title: 'A message of the intake',
    description: 'docs/intake.md explains the messages.',
  };
}
