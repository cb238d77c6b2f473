// Storage for a file while it is received. The file is on disk, in the private file system of the site. In browsers
// without such a file system (on pages over plain HTTP, and in some private windows), it is in memory, up to a limit.

const NAME = "shruti-long-text";

export const MOST_MEMORY = 512 * 1024 * 1024;

// Opens a sink, after deleting older files in this browser.
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

// Deletes the files of pages that were closed.
export async function clearSinks() {
  try {
    await clear(await navigator.storage.getDirectory());
  } catch {
    // there is no private file system, or another tab uses it
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

  // Returns the file. If `first` is not null, it replaces the first bytes of the file.
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
    if (this.#bytes > MOST_MEMORY) throw new Error("In this browser, a file on this page can have at most 512 MB. Choose MP3 or Opus, or open this page over HTTPS.");
    this.#parts.push(new Blob([bytes])); // browsers may move the Blob to disk
  }

  finish(first) {
    return new Blob([...(first ? [first, new Blob(this.#parts).slice(first.length)] : this.#parts)]);
  }
}
