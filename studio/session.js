// The signed-in account, and the offer of this server. Pages use it instead of asking the server themselves.

import { api, refusals } from "./api.js";

class Session extends EventTarget {
  // The response of `setup`, the voices (the default one first), and the account, or null when signed out.
  setup = null;
  voices = [];
  account = null;

  // Requests all of them.
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

  // Returns the voice with a name as the server writes it, or null.
  voice(name) {
    return this.voices.find((voice) => voice.name === name) ?? null;
  }

  // Returns a language of the setup by its code. An unknown code is its own name.
  language(code) {
    return this.setup.languages.find((language) => language.code === code) ?? { code, name: code, native_name: code };
  }

  // Requests the account again: its allowance changes while it speaks, and the session may have ended.
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

  // Ends the session because the server ended it. Dispatches "over" once.
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

  // The reason why the playground cannot speak: `null`, "sign-in" or "locked".
  get obstacle() {
    if (this.account?.unlocked || this.setup?.open_playground) return null;
    return this.account ? "locked" : "sign-in";
  }
}

export const session = new Session();
refusals.addEventListener("over", () => session.end());

// Returns the reason why this page cannot play, or null. Browsers have AudioWorklet, and store secure cookies, only on
// pages over HTTPS or from the same machine.
export function silentBecause() {
  if (!window.isSecureContext) return "insecure";
  if (!("AudioWorklet" in window)) return "no-worklet";
  return null;
}
