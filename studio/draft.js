// The text that a visitor is writing, kept by the browser until the tab is closed. An account's is shown to no other one
// that signs in there; what was written before signing in is taken along.

const PLACE = "shruti.draft";

// The text as it was left; null where there is none, or where it is another's. `email`: of who is signed in, or null.
export function draft(email) {
  try {
    const { owner, text } = JSON.parse(sessionStorage.getItem(PLACE));
    return owner === null || owner === email ? text : null;
  } catch {
    return null; // nothing was kept, or storage is forbidden
  }
}

export function keepDraft(text, email) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify({ owner: email, text }));
  } catch {
    // storage is full or forbidden: the draft is lost with the page
  }
}
