// What a visitor chose last, kept by the browser for the next visit. Nothing of what was written or spoken is in it.

const PLACE = "shruti.playground";

// The choices as they were kept: an object, empty where there are none.
export function preferences() {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE));
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    return {}; // storage is forbidden, or holds something else
  }
}

export function keepPreferences(chosen) {
  try {
    localStorage.setItem(PLACE, JSON.stringify(chosen));
  } catch {
    // storage is full or forbidden: the choices are lost with the page
  }
}
