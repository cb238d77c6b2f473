import { configDefaults, defineConfig } from "vitest/config";

// how long something is waited for that does not come
const PATIENCE_MS = 60_000;

export default defineConfig({
  test: {
    // the package as it is installed, by check.sh; else its sources
    ...(process.env["INSTALLED"]
      ? { include: ["tests/installed/*.test.*"] }
      : { exclude: [...configDefaults.exclude, "tests/installed/**"] }),
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
  },
});
