import { defineConfig } from "vitest/config";

// what waits for a real server that does not come
export default defineConfig({ test: { testTimeout: 30_000, hookTimeout: 30_000 } });
