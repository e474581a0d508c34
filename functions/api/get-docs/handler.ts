import { setting } from '#shared/runtime/environment.ts';
import { serveFiles } from '#shared/runtime/serve-files.ts';

/** Serves the documentation and the OpenAPI document, which the build puts beside the bundle. */
export const handler = serveFiles(new URL('files/', import.meta.url), setting('docsUrl'));
