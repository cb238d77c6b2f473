// Runs in a page before its scripts. Analyses the page's audio output, and records the requested clips and the words
// that `<shruti-read-aloud>` reports.

export function ear() {
  const { connect } = AudioNode.prototype;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (!(to instanceof AudioDestinationNode)) return connect.call(this, to, ...rest);
    window.analyser = new AnalyserNode(to.context, { fftSize: 2048 });
    connect.call(this, window.analyser);
    return connect.call(window.analyser, to, ...rest);
  };
  window.peak = () => {
    const samples = new Float32Array(2048);
    window.analyser?.getFloatTimeDomainData(samples);
    return Math.max(...samples.map(Math.abs));
  };

  window.clips = []; // the body of each request for a clip
  const { fetch } = window;
  window.fetch = (url, request) => {
    if (String(url).includes("/v1/tts")) window.clips.push(JSON.parse(request.body));
    return fetch(url, request);
  };

  window.words = []; // words that the element reports, each with its paragraph and the highlighted text
  window.ends = 0;
  window.scrolls = [];
  const { scrollIntoView } = Element.prototype;
  Element.prototype.scrollIntoView = function (options) {
    window.scrolls.push(options?.behavior ?? "auto");
    return scrollIntoView.call(this, options);
  };
  addEventListener("DOMContentLoaded", () => {
    const reader = document.querySelector("shruti-read-aloud");
    reader?.addEventListener("word", ({ detail: { text, range } }) => {
      const lit = window.CSS.highlights && [...(CSS.highlights.get("shruti-read-aloud") ?? [])].map(String).join();
      window.words.push({ text, lit, place: String(range), lang: range?.startContainer.parentElement.closest("[lang]").lang });
    });
    reader?.addEventListener("ended", () => (window.ends += 1));
  });
}
