// Where a file is put together while it comes: on the disk, in the place that browsers have for a site's own files; where
// they have none (a page over plain http, some private windows) in memory, up to a bound.

const NAME = "shruti-long-text";

export const MOST_MEMORY = 512 * 1024 * 1024;

// A sink; what was put together before in this browser is gone.
export async function openSink() {
  try {
    const folder = await navigator.storage.getDirectory();
    await clear(folder);
    const handle = await folder.getFileHandle(`${NAME}-${Date.now()}`, { create: true });
    return new DiskSink(handle, await handle.createWritable());
  } catch {
    return new MemorySink();
  }
}

// Removes what was left by a page that was closed.
export async function clearSinks() {
  try {
    await clear(await navigator.storage.getDirectory());
  } catch {
    // there is no such place, or another tab writes there
  }
}

async function clear(folder) {
  for await (const name of folder.keys()) if (name.startsWith(NAME)) await folder.removeEntry(name).catch(() => {});
}

class DiskSink {
  #handle;
  #writable;

  constructor(handle, writable) {
    this.#handle = handle;
    this.#writable = writable;
  }

  append(bytes) {
    return this.#writable.write(bytes);
  }

  // `first`: the first bytes of the file anew, or null. Gives a File.
  async finish(first) {
    if (first) await this.#writable.write({ type: "write", position: 0, data: first });
    await this.#writable.close();
    return this.#handle.getFile();
  }
}

class MemorySink {
  #parts = [];
  #bytes = 0;

  append(bytes) {
    this.#bytes += bytes.length;
    if (this.#bytes > MOST_MEMORY) throw new Error("This browser keeps no more than 512 MB of a file that a page makes. Choose MP3 or Opus, or open this page over https.");
    this.#parts.push(new Blob([bytes])); // which browsers put on the disk as they see fit
  }

  finish(first) {
    return new Blob([...(first ? [first, new Blob(this.#parts).slice(first.length)] : this.#parts)]);
  }
}
