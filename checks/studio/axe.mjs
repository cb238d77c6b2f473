// Finds accessibility problems of a page with axe-core.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { check } from "./steps.mjs";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Fails if the page violates a rule. Names each violated rule and the first element that violates it.
export async function checkAccessible(page, what) {
  await page.send("Runtime.evaluate", { expression: source }); // not as a script, which the page's policy forbids
  const broken = await page.run(async () => {
    // wait for the end of transitions, during which the contrast of a colour cannot be measured
    const ends = ({ effect }) => effect.getComputedTiming().endTime < Infinity;
    await Promise.allSettled(document.getAnimations().filter(ends).map(({ finished }) => finished));
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(
      ({ id, help, nodes }) => `${id}, ${nodes.length} times: ${help}: ${nodes[0].html.slice(0, 200)}`,
    );
  });
  check(broken.length === 0, `${what}:\n${broken.join("\n")}`);
}
