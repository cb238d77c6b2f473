// Signs out and deletes all data of the account in this browser.

import { api } from "./api.js";
import { ClipStore } from "./clip-store.js";
import { session } from "./session.js";

// Deletes the data of the account in this browser after its session has ended.
export async function forget(go) {
  try {
    sessionStorage.clear();
  } catch {
    // there is no stored data
  }
  await ClipStore.forget(session.account.email);
  session.take(null);
  await go("/studio/sign-in", { replace: true });
}

// Signs out. If `everywhere` is true, signs out in all browsers. Throws a `Failure`.
export async function signOut(go, everywhere) {
  await api.signOut(everywhere);
  await forget(go);
}
