// Light or dark. A script of its own, run before the page is drawn, so that a page chosen dark never flashes white.
"use strict";

(() => {
  const KEY = "shruti.theme";
  const CHOICES = ["system", "light", "dark"];
  const root = document.documentElement;

  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage is forbidden: the choice then lasts as long as the page
    }
  };

  let choice = CHOICES.includes(stored()) ? stored() : "system";

  const apply = () => {
    root.dataset.theme = choice;
    const button = document.getElementById("theme");
    if (!button) return;
    button.textContent = { system: "◐", light: "☀", dark: "☾" }[choice];
    button.setAttribute("aria-label", `Colours: ${choice === "system" ? "as the system" : choice}. Press to change.`);
    button.title = `Colours: ${choice === "system" ? "as the system" : choice}`;
  };

  apply();
  document.addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme").addEventListener("click", () => {
      choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
      try {
        localStorage.setItem(KEY, choice);
      } catch {
        // as above
      }
      apply();
    });
  });
})();
