// Light or dark theme. It is a separate script that runs before the page is drawn, so that a dark page does not flash
// white.
"use strict";

(() => {
  const KEY = "shruti.theme";
  const CHOICES = ["system", "light", "dark"];
  const root = document.documentElement;

  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage is disabled: the choice lasts as long as the page
    }
  };

  let choice = CHOICES.includes(stored()) ? stored() : "system";

  const apply = () => {
    root.dataset.theme = choice;
    const button = document.getElementById("theme");
    if (!button) return;
    button.textContent = { system: "◐", light: "☀", dark: "☾" }[choice];
    button.setAttribute("aria-label", `Colours: ${choice === "system" ? "system default" : choice}. Press to change.`);
    button.title = `Colours: ${choice === "system" ? "system default" : choice}`;
  };

  apply();
  document.addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme").addEventListener("click", () => {
      choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
      try {
        localStorage.setItem(KEY, choice);
      } catch {
        // storage is disabled
      }
      apply();
    });
  });
})();
