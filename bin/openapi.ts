import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../docs/openapi/document.ts';

await writeFile('docs/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`);
