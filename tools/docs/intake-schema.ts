import * as z from 'zod';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';

/**
 * The JSON Schema of the intake's messages, for producers in other languages. It cannot say what compares two members or
 * counts bytes: docs/intake.md does.
 */
export function intakeSchema(): z.core.JSONSchema.JSONSchema {
  const schema = z.toJSONSchema(intakeMessage, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // The format says it shorter.
      if (jsonSchema.format === 'date-time') Reflect.deleteProperty(jsonSchema, 'pattern');
      for (const bound of ['minimum', 'maximum'] as const) {
        if (Math.abs(Number(jsonSchema[bound])) === Number.MAX_SAFE_INTEGER)
          Reflect.deleteProperty(jsonSchema, bound);
      }
    },
  });
  return {
    ...schema,
    title: 'A message of the intake',
    description: 'docs/intake.md explains the messages.',
  };
}
