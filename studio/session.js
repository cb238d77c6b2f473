// Who is signed in, and what this server offers. The pages look here instead of asking the server each for itself.

import { api, refusals } from "./api.js";

class Session extends EventTarget {
  // The answer of `setup`, the voices, the default one first, and the account or null when signed out.
  setup = null;
  voices = [];
  account = null;

  // Asks the server for all of them.
  async load() {
    const [setup, account] = await Promise.all([api.setup(), this.#fetchAccount(), this.loadVoices()]);
    this.setup = setup;
    this.take(account);
  }

  // Asks for the voices as they are now, and gives them.
  async loadVoices() {
    this.voices = await api.voices();
    return this.voices;
  }

  // The listed voice of a name as the server writes it; null where there is none.
  voice(name) {
    return this.voices.find((voice) => voice.name === name) ?? null;
  }

  // A language of the setup by its code; one that it does not know is its own name.
  language(code) {
    return this.setup.languages.find((language) => language.code === code) ?? { code, name: code, native_name: code };
  }

  // Asks again for the account: its allowance changes while it speaks, and the session may be over.
  async refresh() {
    const account = await this.#fetchAccount();
    if (account) this.take(account);
    else this.end();
  }

  // Notes a change of account, such as the answer of a sign-in.
  take(account) {
    this.account = account;
    this.dispatchEvent(new Event("change"));
  }

  // Notes that the server has ended the session; the event `over` tells it once.
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

  // What keeps the playground from speaking: `null`, "sign-in" or "locked".
  get obstacle() {
    if (this.account?.unlocked || this.setup?.open_playground) return null;
    return this.account ? "locked" : "sign-in";
  }
}

export const session = new Session();
refusals.addEventListener("over", () => session.end());

// Why this page cannot make sound, in words, or null. Browsers have AudioWorklet, and keep secure cookies, only
// where a page came over https or from the machine itself.
export function silentBecause() {
  if (!window.isSecureContext) return "insecure";
  if (!("AudioWorklet" in window)) return "no-worklet";
  return null;
}
