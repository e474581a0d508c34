import { writeFile } from 'node:fs/promises';
import { intakeSchemaFile } from '../tools/docs/intake-schema.ts';
import { openApiDocument } from '../tools/docs/openapi/document.ts';

await writeFile('docs/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`);
await writeFile('docs/intake.schema.json', intakeSchemaFile());
