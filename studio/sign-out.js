// Signing out, which deletes all data of the account in this browser.

import { api } from "./api.js";
import { ClipStore } from "./clip-store.js";
import { session } from "./session.js";

// Deletes the data of the account after its session ended.
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

// `everywhere`: in all browsers where the account is signed in. Throws a `Failure`.
export async function signOut(go, everywhere) {
  await api.signOut(everywhere);
  await forget(go);
}
