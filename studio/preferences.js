// Last choices of a visitor. The browser stores them for the next visit. They do not include the text.

const PLACE = "shruti.playground";

// Returns the stored choices as an object. The object is empty if there are none.
export function preferences() {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE));
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    return {}; // storage is disabled, or contains invalid data
  }
}

export function keepPreferences(chosen) {
  try {
    localStorage.setItem(PLACE, JSON.stringify(chosen));
  } catch {
    // storage is full or disabled: the choices are lost with the page
  }
}
