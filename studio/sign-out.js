// Signing out, and leaving nothing of the account in this browser.

import { api } from "./api.js";
import { ClipStore } from "./clip-store.js";
import { session } from "./session.js";

// Forgets the account here, whose session has ended.
export async function forget(go) {
  try {
    sessionStorage.clear();
  } catch {
    // nothing was stored
  }
  await ClipStore.forget(session.account.email);
  session.take(null);
  await go("/studio/sign-in", { replace: true });
}

// `everywhere`: in every browser where the account is signed in. Throws a `Failure`.
export async function signOut(go, everywhere) {
  await api.signOut(everywhere);
  await forget(go);
}
