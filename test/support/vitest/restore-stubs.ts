import { vi } from 'vitest';

// Vitest removes stubs before each test, but the last test of a file leaves its own to the next file of the process.
vi.unstubAllEnvs();
vi.unstubAllGlobals();
