import { configDefaults, defineConfig } from "vitest/config";

// timeout for events that do not occur
const PATIENCE_MS = 60_000;

export default defineConfig({
  test: {
    // tests the installed package if check.sh sets INSTALLED, otherwise the sources
    ...(process.env["INSTALLED"]
      ? { include: ["tests/installed/*.test.*"] }
      : { exclude: [...configDefaults.exclude, "tests/installed/**"] }),
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
  },
});
