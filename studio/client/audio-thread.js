/**
 * The page's side of the audio thread: samples go in, and it knows which of them is being heard. Imports nothing at run
 * time, so that pages without a bundler can take it alone, with the worklet.
 */
const SAMPLE_RATE = 24_000;
const REPORTS_KEPT = 64;
const RESUME_MS = 1_000;
function newContext() {
    try {
        return new AudioContext({ sampleRate: SAMPLE_RATE, latencyHint: "interactive" });
    }
    catch {
        return new AudioContext({ latencyHint: "interactive" }); // a browser that will not have 24 kHz
    }
}
/**
 * Plays 16-bit samples of 24 kHz as they come, and knows to the millisecond which of them is heard. Make it inside a click
 * or a key press, else the browser may keep it silent. A clip is what is played between two calls of `clear`.
 *
 * Dispatches "sounding" when a clip begins to sound, "moved" as it goes on, "ended" when it was heard to its end behind
 * `finish`, "silenced" when the browser or the system stops the page's sound, "broken" when the audio thread has stopped.
 */
export class AudioThread extends EventTarget {
    context;
    /** Samples are taken from here on; rejects where the worklet's script cannot be loaded. */
    ready;
    #ownsContext;
    #node;
    #clip = 0;
    #pushed = 0;
    #reports = [];
    #ending;
    #ran = false;
    constructor(options = {}) {
        super();
        this.context = options.context ?? newContext();
        this.#ownsContext = !options.context;
        this.context.addEventListener("statechange", this.#changed);
        this.ready = this.#open(options);
        // whoever waits for it is told
        this.ready.catch(() => undefined);
        void this.context.resume().catch(() => undefined);
    }
    /** Takes back a suspension. Says whether the browser lets the page sound. */
    async wake() {
        if (this.context.state !== "running") {
            // a browser that keeps a page silent leaves it unanswered
            const enough = new Promise((resolve) => setTimeout(resolve, RESUME_MS));
            await Promise.race([this.context.resume(), enough]);
        }
        return this.context.state === "running";
    }
    /** Adds samples to the clip; their buffer is the audio thread's from now on. */
    push(samples) {
        clearTimeout(this.#ending);
        this.#pushed += samples.length;
        this.#tell({ type: "samples", clip: this.#clip, samples }, [samples.buffer]);
    }
    /** Plays what is there, however short, and does not wait for more. */
    finish() {
        this.#tell({ type: "finish", clip: this.#clip });
    }
    /** Is silent at once; what comes then is a new clip. */
    clear() {
        clearTimeout(this.#ending);
        this.#clip += 1;
        this.#pushed = 0;
        this.#reports = [];
        this.#tell({ type: "clear", clip: this.#clip });
    }
    async close() {
        clearTimeout(this.#ending);
        this.context.removeEventListener("statechange", this.#changed);
        this.#node?.disconnect();
        if (this.#ownsContext && this.context.state !== "closed")
            await this.context.close();
    }
    /** How much of the clip was given, in milliseconds. */
    get pushedMs() {
        return (this.#pushed / SAMPLE_RATE) * 1000;
    }
    /** How much of the clip the audio thread has played; what it plays is heard a little later. */
    get playedMs() {
        return ((this.#reports.at(-1)?.played ?? 0) / SAMPLE_RATE) * 1000;
    }
    /** How much of the clip has left the loudspeaker. */
    get heardMs() {
        const now = this.#heardTime();
        const at = this.#reports.findLastIndex((report) => report.time <= now);
        const report = this.#reports[at];
        if (!report)
            return 0;
        const reached = report.dry ? report.played : report.played + (now - report.time) * SAMPLE_RATE;
        const limit = this.#reports[at + 1]?.played ?? this.#pushed;
        return (Math.min(reached, limit, this.#pushed) / SAMPLE_RATE) * 1000;
    }
    /** How much later than it is played sound is heard. */
    get delayMs() {
        return Math.max(0, (this.context.currentTime - this.#heardTime()) * 1000);
    }
    async #open({ workletUrl, destination }) {
        await this.context.audioWorklet.addModule(workletUrl ?? new URL("./worklet.js", import.meta.url));
        const options = { numberOfInputs: 0, outputChannelCount: [1] };
        const node = new AudioWorkletNode(this.context, "shruti-player", options);
        node.port.onmessage = ({ data }) => this.#learn(data);
        node.onprocessorerror = () => this.dispatchEvent(new Event("broken"));
        node.connect(destination ?? this.context.destination);
        this.#node = node;
        this.#tell({ type: "clear", clip: this.#clip });
    }
    #changed = () => {
        const { state } = this.context;
        if (this.#ran && state !== "running" && state !== "closed")
            this.dispatchEvent(new Event("silenced"));
        this.#ran ||= state === "running";
    };
    #tell(command, given = []) {
        this.#node?.port.postMessage(command, given);
    }
    #learn(report) {
        if (report.clip !== this.#clip)
            return;
        this.#reports.push(report);
        if (this.#reports.length === 1)
            this.dispatchEvent(new Event("sounding"));
        if (this.#reports.length > REPORTS_KEPT)
            this.#reports.shift();
        this.dispatchEvent(new Event("moved"));
        // more may have been given meanwhile
        if (!report.ended || report.played < this.#pushed)
            return;
        this.#ending = setTimeout(() => this.dispatchEvent(new Event("ended")), this.delayMs);
    }
    /** The moment, on the context's clock, of the sound that is leaving the loudspeaker now. */
    #heardTime() {
        const { currentTime } = this.context;
        const { contextTime = 0, performanceTime = 0 } = this.context.getOutputTimestamp?.() ?? {};
        if (performanceTime > 0) {
            const told = contextTime + (performance.now() - performanceTime) / 1000;
            // some browsers' stamps stand still or run ahead
            if (told <= currentTime && told > currentTime - 1)
                return told;
        }
        return currentTime - (this.context.outputLatency || this.context.baseLatency || 0);
    }
}
