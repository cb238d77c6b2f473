// Runs in the page before the Studio's scripts: records the input and output of the player's AudioWorklet, the
// highlights, and the conversation. It does not change the behaviour of the page.

export function tap() {
  const seen = { contextRate: 0, posted: 0, clears: 0, loud: 0, energy: 0, firstLoud: null, lastLoud: null, lights: [], words: [], ends: [], started: [], pressedAt: null };
  window.tap = seen;
  const LOUD = 0.002;

  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function postMessage(message, ...rest) {
    if (message?.type === "samples") seen.posted += message.samples.length;
    if (message?.type === "clear") seen.clears += 1;
    return post.call(this, message, ...rest);
  };

  const { connect } = AudioNode.prototype;
  AudioNode.prototype.connect = function connectAndListen(target, ...rest) {
    if (this instanceof AudioWorkletNode && target instanceof AudioDestinationNode) {
      seen.contextRate = this.context.sampleRate;
      const ear = this.context.createScriptProcessor(512, 1, 1); // the recorder's own output stays silent
      // A busy page misses blocks, so times are taken from the context's clock, not from a count of samples.
      ear.onaudioprocess = ({ inputBuffer, playbackTime }) => {
        const start = Math.round(playbackTime * inputBuffer.sampleRate);
        for (const [at, sample] of inputBuffer.getChannelData(0).entries()) {
          if (Math.abs(sample) < LOUD) continue;
          seen.loud += 1;
          seen.energy += sample * sample;
          seen.firstLoud ??= start + at;
          seen.lastLoud = start + at;
        }
      };
      seen.ear = ear;
      connect.call(this, ear);
      connect.call(ear, target);
    }
    return connect.call(this, target, ...rest);
  };

  const { set } = HighlightRegistry.prototype;
  HighlightRegistry.prototype.set = function setAndNote(name, highlight) {
    const [range] = highlight;
    if (name === "now" && !range.collapsed) seen.lights.push({ text: range.toString(), start: range.startOffset, at: performance.now() });
    return set.call(this, name, highlight);
  };

  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        if (typeof data !== "string") return;
        const message = JSON.parse(data);
        if (message.type === "turn.started") seen.started.push(message);
        if (message.type === "words") seen.words.push(...message.words);
        if (["turn.done", "turn.cancelled", "turn.failed"].includes(message.type)) seen.ends.push(message);
      });
    }
  };

  // Clears the recorded data; called before the next playback.
  window.freshTap = () => Object.assign(seen, { posted: 0, clears: 0, loud: 0, energy: 0, firstLoud: null, lastLoud: null, lights: [], words: [], ends: [], started: [] });
}

// Makes the browser refuse a sample rate of 24 kHz, so that the player has to resample.
export function stubbornRate() {
  const Context = window.AudioContext;
  window.AudioContext = class extends Context {
    constructor(options) {
      super({ ...options, sampleRate: 44_100 });
    }
  };
}

// Delays each message from the server by half a second.
export function slowLine() {
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    set onmessage(listener) {
      super.onmessage = (event) => setTimeout(() => listener.call(this, event), 500);
    }
  };
}
