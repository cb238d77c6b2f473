// Accessibility problems of a page, found by axe-core.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { check } from "./steps.mjs";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Fails with each rule that the page violates, and the first element that does.
export async function checkAccessible(page, what) {
  await page.send("Runtime.evaluate", { expression: source }); // from outside: the page's policy takes no other scripts
  const broken = await page.run(async () => {
    // the contrast of a colour in transition cannot be judged
    const ends = ({ effect }) => effect.getComputedTiming().endTime < Infinity;
    await Promise.allSettled(document.getAnimations().filter(ends).map(({ finished }) => finished));
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(
      ({ id, help, nodes }) => `${id}, ${nodes.length} times: ${help}: ${nodes[0].html.slice(0, 200)}`,
    );
  });
  check(broken.length === 0, `${what}:\n${broken.join("\n")}`);
}
