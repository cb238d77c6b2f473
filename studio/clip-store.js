// Clips that were spoken in this browser, stored separately for each account in the browser's database (IndexedDB), or
// in memory if there is no database. Clips of visitors are only kept in memory, because the next visitor may be a
// different person.

const DATABASE = "shruti";
const CLIPS = "clips";

// Maximum number of clips and of bytes per account. If one is exceeded, the oldest clips are deleted.
export const MOST_CLIPS = 20;
export const MOST_BYTES = 32 * 1024 * 1024;

// Returns the ids of the clips that must be deleted to meet the limits.
export function surplus(clips, mostClips = MOST_CLIPS, mostBytes = MOST_BYTES) {
  const newest = [...clips].sort((left, right) => right.spokenAt - left.spokenAt);
  let bytes = 0;
  const kept = newest.findIndex(({ samples }, at) => {
    bytes += samples.byteLength;
    return at >= mostClips || bytes > mostBytes;
  });
  return kept < 0 ? [] : newest.slice(kept).map(({ id }) => id).reverse();
}

// Converts a clip of version 1 of the database. There, positions count characters, and the fields of words have the
// names of the JSON API.
export function ofVersion1(clip) {
  const units = [0];
  for (const character of clip.text) units.push(units.at(-1) + character.length);
  const unit = (characters) => units[Math.min(characters, units.length - 1)];
  const words = clip.words.map(({ text, start_ms: startMs, end_ms: endMs, char_start: start, char_end: end, spoken }) => ({
    text, startMs, endMs, charStart: unit(start), charEnd: unit(end), spoken: spoken ?? undefined,
  }));
  return { ...clip, words, heardEnd: clip.heardEnd === null ? null : unit(clip.heardEnd) };
}

export class ClipStore {
  #owner = null;
  #database = null;
  #clips = [];

  // Opens the clips of an account, given its email address, or of a visitor if `email` is null. Never fails.
  static async open(email) {
    const store = new ClipStore();
    if (!email) return store;
    store.#owner = email;
    try {
      store.#database = await database();
      const all = await answer(store.#database.transaction(CLIPS).objectStore(CLIPS).index("owner").getAll(store.#owner));
      store.#clips = all.sort((left, right) => right.spokenAt - left.spokenAt);
    } catch {
      store.#database = null; // for example in a private window: clips are kept until the page is left
    }
    return store;
  }

  // Deletes all clips of an account.
  static async forget(email) {
    const store = await ClipStore.open(email);
    await store.clear();
  }

  // Whether the clips are kept after a reload.
  get lasts() {
    return this.#database !== null;
  }

  // The clips; the newest is first.
  get clips() {
    return this.#clips;
  }

  async add(clip) {
    this.#clips = [clip, ...this.#clips];
    const gone = surplus(this.#clips);
    this.#clips = this.#clips.filter(({ id }) => !gone.includes(id));
    await this.#change((clips) => {
      if (!gone.includes(clip.id)) clips.put({ ...clip, owner: this.#owner });
      for (const id of gone) clips.delete(id);
    });
  }

  async remove(id) {
    this.#clips = this.#clips.filter((clip) => clip.id !== id);
    await this.#change((clips) => clips.delete(id));
  }

  async clear() {
    const gone = this.#clips.map(({ id }) => id);
    this.#clips = [];
    await this.#change((clips) => gone.forEach((id) => clips.delete(id)));
  }

  async #change(work) {
    if (!this.#database) return;
    try {
      const transaction = this.#database.transaction(CLIPS, "readwrite");
      work(transaction.objectStore(CLIPS));
      await new Promise((resolve, reject) => Object.assign(transaction, { oncomplete: resolve, onabort: reject }));
    } catch {
      // the disk is full: the clips are kept until the page is left
    }
  }
}

function database() {
  const opening = indexedDB.open(DATABASE, 2);
  opening.onupgradeneeded = ({ oldVersion }) => {
    if (oldVersion === 0) {
      opening.result.createObjectStore(CLIPS, { keyPath: "id" }).createIndex("owner", "owner");
      return;
    }
    opening.transaction.objectStore(CLIPS).openCursor().onsuccess = ({ target: { result: cursor } }) => {
      if (!cursor) return;
      cursor.update(ofVersion1(cursor.value));
      cursor.continue();
    };
  };
  return answer(opening);
}

const answer = (request) =>
  new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error), onblocked: reject }));
