// The signed-in account, and the voices and settings of this server. Pages read them from this object instead of
// requesting them.

import { api, refusals } from "./api.js";

class Session extends EventTarget {
  // The response of `setup`, the voices (the default voice is first), and the account, or null if no user is signed in.
  setup = null;
  voices = [];
  account = null;

  // Requests the setup, the voices and the account.
  async load() {
    const [setup, account] = await Promise.all([api.setup(), this.#fetchAccount(), this.loadVoices()]);
    this.setup = setup;
    this.take(account);
  }

  // Requests the current voices and returns them.
  async loadVoices() {
    this.voices = await api.voices();
    return this.voices;
  }

  // Returns the voice with a name, in the server's spelling, or null.
  voice(name) {
    return this.voices.find((voice) => voice.name === name) ?? null;
  }

  // Returns a language of the setup by its code. For an unknown code, the code is also the name.
  language(code) {
    return this.setup.languages.find((language) => language.code === code) ?? { code, name: code, native_name: code };
  }

  // Requests the account again: its allowance decreases with each text that is spoken, and the session may have ended.
  async refresh() {
    const account = await this.#fetchAccount();
    if (account) this.take(account);
    else this.end();
  }

  // Sets the account, for example after a sign-in.
  take(account) {
    this.account = account;
    this.dispatchEvent(new Event("change"));
  }

  // Removes the account from this page after the server has ended the session. Dispatches "over" once.
  end() {
    if (!this.account) return;
    this.take(null);
    this.dispatchEvent(new Event("over"));
  }

  async #fetchAccount() {
    try {
      return await api.account();
    } catch (failure) {
      if (failure.status === 401) return null;
      throw failure;
    }
  }

  // The reason why the user cannot use the playground: "sign-in" or "locked"; null if the user can.
  get obstacle() {
    if (this.account?.unlocked || this.setup?.open_playground) return null;
    return this.account ? "locked" : "sign-in";
  }
}

export const session = new Session();
refusals.addEventListener("over", () => session.end());

// Returns the reason why this page cannot play audio, or null if it can. Browsers provide AudioWorklet and store secure
// cookies only for pages over HTTPS or from the same machine.
export function silentBecause() {
  if (!window.isSecureContext) return "insecure";
  if (!("AudioWorklet" in window)) return "no-worklet";
  return null;
}
