import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../site/openapi/document.ts';
import { intakeSchemaFile } from '../site/openapi/intake-schema.ts';

await writeFile('docs/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`);
await writeFile('docs/intake.schema.json', intakeSchemaFile());
