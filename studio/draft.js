// The text that a visitor is writing. The browser stores it until the tab is closed. The text of one account is not
// shown to another account; text written before signing in is kept.

const PLACE = "shruti.draft";

// Returns the stored text; null if there is none, or if it belongs to another account. `email` is the address of the
// signed-in account, or null.
export function draft(email) {
  try {
    const { owner, text } = JSON.parse(sessionStorage.getItem(PLACE));
    return owner === null || owner === email ? text : null;
  } catch {
    return null; // nothing was stored, or storage is disabled
  }
}

export function keepDraft(text, email) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify({ owner: email, text }));
  } catch {
    // storage is full or disabled: the draft is lost with the page
  }
}
