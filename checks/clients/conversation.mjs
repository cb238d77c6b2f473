// Conversation that verifies the server: it logs every message with its time, and checks each message from the server
// against the contract. It shares no code with the SDKs. It uses only the features of a browser's WebSocket, so that
// Node's `ws` and a page can share it. python.py contains a separate implementation.

const PATIENCE_MS = 30_000;
const BYTES_PER_MS = 48;

export class Broken extends Error {}

export function check(holds, what) {
  if (!holds) throw new Broken(what);
}

export function same(left, right) {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

export const soundMs = (bytes) => Math.floor(bytes / BYTES_PER_MS);

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Positions in messages count characters, not UTF-16 units.
const part = (text, from, to) => [...text].slice(from, to).join("");

export class Conversation {
  // First message of the server; null until it arrives.
  ready = null;
  // Turn whose audio the server is sending; null between turns.
  audible = null;

  // Opens a conversation over a socket that is connecting, and waits for `ready`.
  static async over(socket) {
    const conversation = new Conversation(socket);
    await conversation.until(() => conversation.ready, "ready");
    return conversation;
  }

  constructor(socket) {
    this.socket = socket;
    this.begun = performance.now();
    this.log = [];
    this.turns = new Map();
    this.messages = [];
    this.cancels = [];
    this.waiters = new Set();
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => this.receive(data);
    socket.onclose = ({ code, reason }) => this.onClosed(code, `${reason}`); // Node's `ws` passes a Buffer
    socket.onerror = (event) => this.note("error", event.message ?? "");
  }

  note(what, detail) {
    this.log.push([Number((performance.now() - this.begun).toFixed(2)), what, detail]);
  }

  say(message) {
    if (message.text !== undefined) {
      const turn = this.turns.get(message.turn_id) ?? { text: "", sound: [], bytes: 0, words: [], starts: 0, end: null };
      turn.text += message.text;
      this.turns.set(message.turn_id, turn);
    }
    if (message.type === "cancel" && message.id) this.cancels.push(message.id);
    this.sendText(JSON.stringify(message));
  }

  sendText(text) {
    this.note("said", text);
    this.socket.send(text);
  }

  receive(data) {
    try {
      if (typeof data === "string") this.note("heard", data);
      else this.note("sound", data.byteLength);
      this.take(data);
    } catch (error) {
      this.broken ??= error;
    }
    this.wake();
  }

  take(data) {
    if (typeof data !== "string") {
      this.onAudio(this.audible, data);
      return;
    }
    const message = JSON.parse(data);
    if (this.ready) {
      this.onMessage(message);
      this.follow(message);
    } else {
      this.ready = message;
      this.onReady(message);
    }
  }

  // Keeps track of the turn whose audio the server is sending.
  follow({ type, turn_id: turn, state }) {
    const ends = type === "turn.done" || type === "turn.failed" || (type === "turn.cancelled" && state === "cancelled");
    if (type === "turn.started") this.audible = turn;
    else if (ends && turn === this.audible) this.audible = null;
  }

  onClosed(code, reason) {
    this.note("close", `${code} ${reason}`);
    this.closed = { code, reason };
    this.wake();
  }

  onReady(message) {
    this.messages.push(message);
    check(message.type === "ready", `${message.type} before ready`);
  }

  onAudio(name, data) {
    const sound = new Uint8Array(data);
    check(name !== null, "sound of no turn");
    const turn = this.turns.get(name);
    check(sound.length > 0 && sound.length % 2 === 0, "no whole samples");
    turn.sound.push(sound);
    turn.bytes += sound.length;
  }

  onMessage(message) {
    const name = message.turn_id;
    const turn = this.turns.get(name);
    this.messages.push(message);
    switch (message.type) {
      case "turn.started":
        check(turn.starts === 0 && turn.end === null, `${name} starts again`);
        check(this.audible === null, `${name} starts while ${this.audible} sounds`);
        turn.starts += 1;
        break;
      case "words":
        check(this.audible === name && turn.end === null, `marks of ${name}, which is not heard`);
        check(message.words.length > 0, "no words");
        for (const word of message.words) {
          check(soundMs(turn.bytes) <= word.start_ms, `${word.text} is reported after its audio`);
          check(word.text === part(turn.text, word.char_start, word.char_end), `${word.text} is not at its offsets`);
        }
        turn.words.push(...message.words);
        break;
      case "turn.done":
        check(message.audio_ms === soundMs(turn.bytes), `${name}: audio_ms is not what came`);
        this.end(name, message);
        break;
      case "turn.failed":
        this.end(name, message);
        break;
      case "turn.cancelled":
        this.cancelled(name, turn, message);
        break;
    }
  }

  cancelled(name, turn, message) {
    if (message.id) check(this.cancels.shift() === message.id, `${message.id}: answers are in order`);
    const { heard } = message;
    check(heard.ms <= message.sent_ms, "more was heard than sent");
    check([...heard.text].length === heard.char_end, "char_end is not the end of what was heard");
    if (message.state === "unknown") return;
    check(heard.text + message.unheard_text === turn.text, `${name}: heard and unheard are not what was sent`);
    check(message.sent_ms === soundMs(turn.bytes), `${name}: sent_ms is not what came`);
    if (message.state === "cancelled") this.end(name, message);
  }

  end(name, message) {
    const turn = this.turns.get(name);
    check(turn.end === null, `${name} ends twice`);
    turn.end = message;
  }

  wake() {
    for (const waiter of [...this.waiters]) waiter();
  }

  // Waits until a condition holds. Fails if the server violates the contract, closes the connection, or is silent for
  // too long.
  until(condition, what) {
    return new Promise((resolve, reject) => {
      let timer = null;
      const look = () => {
        const held = this.broken ? null : condition();
        const gone = this.closed && `the connection closed with ${this.closed.code}`;
        const failed = this.broken ?? (!held && gone ? new Broken(`${what}: ${gone}`) : null);
        if (!held && !failed) return;
        this.waiters.delete(look);
        clearTimeout(timer);
        if (failed) reject(failed);
        else resolve(held);
      };
      timer = setTimeout(() => {
        this.broken ??= new Broken(`${what}: nothing came`);
        look();
      }, PATIENCE_MS);
      this.waiters.add(look);
      look();
    });
  }

  // Waits for the next message of the given type, and returns it. Returns each message only once.
  message(type) {
    const find = () => {
      const at = this.messages.findIndex((message) => message.type === type);
      return at >= 0 && this.messages.splice(at, 1)[0];
    };
    return this.until(find, type);
  }

  // Waits for the end of a turn and returns the turn.
  async ended(name, type = "turn.done") {
    const turn = this.turns.get(name);
    await this.until(() => turn.end, `the end of ${name}`);
    check(turn.end.type === type, `${name} ends with ${turn.end.type}`);
    return turn;
  }

  // Waits until at least `bytes` bytes of a turn's audio have arrived.
  sounded(name, bytes) {
    return this.until(() => this.turns.get(name).bytes >= bytes, `sound of ${name}`);
  }

  clip(name) {
    const turn = this.turns.get(name);
    const whole = new Uint8Array(turn.bytes);
    let at = 0;
    for (const sound of turn.sound) {
      whole.set(sound, at);
      at += sound.length;
    }
    return whole;
  }

  // Waits until all messages in transit have arrived: it sends a ping, whose response arrives after them.
  async settle() {
    this.say({ type: "ping", id: "settle" });
    await this.message("pong");
  }

  // Closes the conversation and waits for its end.
  async close() {
    this.say({ type: "close" });
    await this.until(() => this.closed, "close");
    check(this.closed.code === 1000, `closed with ${this.closed.code}`);
    check(this.closed.reason === `normal ${this.ready.session_id}`, `closed for ${this.closed.reason}`);
  }
}
