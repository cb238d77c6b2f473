/** Buttons and speed control of `<shruti-read-aloud>`, in its shadow tree. */

export interface Labels {
  readonly group: string;
  readonly play: string;
  readonly pause: string;
  readonly resume: string;
  readonly stop: string;
  readonly previous: string;
  readonly next: string;
  readonly speed: string;
  readonly nothing: string;
}

export const ENGLISH: Labels = {
  group: "Read aloud",
  play: "Listen",
  pause: "Pause",
  resume: "Resume",
  stop: "Stop",
  previous: "Previous paragraph",
  next: "Next paragraph",
  speed: "Speed",
  nothing: "There is no text to read.",
};

export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];

/** Actions of the controls. */
export interface Wishes {
  readonly toggle: () => void;
  readonly stop: () => void;
  readonly previous: () => void;
  readonly next: () => void;
  readonly speed: (speed: number) => void;
}

const STYLE = `
:host { display: block; }
:host([hidden]) { display: none; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem; font: inherit; color: inherit; }
button, select {
  font: inherit; color: var(--shruti-color, inherit); background: var(--shruti-background, transparent);
  border: 1px solid var(--shruti-border, currentColor); border-radius: var(--shruti-radius, 6px);
  min-height: 2.75rem; padding: 0 .7rem; cursor: pointer;
}
select { background: var(--shruti-background, Canvas); color: var(--shruti-color, CanvasText); }
button { display: inline-flex; align-items: center; gap: .45rem; transition: background-color .15s; }
button:hover { background: var(--shruti-hover, color-mix(in srgb, currentColor 12%, transparent)); }
button:disabled { opacity: .45; cursor: default; }
:is(button, select):focus-visible { outline: 3px solid var(--shruti-focus, currentColor); outline-offset: 2px; }
svg { width: 1em; height: 1em; fill: currentColor; flex: none; }
label { display: inline-flex; align-items: center; gap: .4rem; }
[role=status] { flex-basis: 100%; }
[role=status]:empty { display: none; }
@media (prefers-reduced-motion: reduce) { button { transition: none; } }
`;

const ICONS = {
  play: "M3 1.5v13l11-6.5z",
  pause: "M3 2h3.6v12H3zm6.4 0H13v12H9.4z",
  stop: "M2.5 2.5h11v11h-11z",
  previous: "M13 2v12L5 8zM2.5 2H5v12H2.5z",
  next: "M3 2l8 6-8 6zM11 2h2.5v12H11z",
} as const;

type Icon = keyof typeof ICONS;

export class Controls {
  readonly #bar = document.createElement("div");
  readonly #play = button("play");
  readonly #stop = button("stop");
  readonly #previous = button("previous");
  readonly #next = button("next");
  readonly #speed = document.createElement("select");
  readonly #speedLabel = document.createElement("span");
  readonly #status = document.createElement("span");
  #labels = ENGLISH;
  #state = "idle";

  constructor(root: ShadowRoot, wishes: Wishes) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    this.#bar.className = "bar";
    this.#bar.setAttribute("part", "bar");
    this.#bar.setAttribute("role", "group");
    this.#status.setAttribute("part", "status");
    this.#status.setAttribute("role", "status");
    this.#speed.setAttribute("part", "speed");
    for (const speed of SPEEDS) this.#speed.add(new Option(`${speed}×`, String(speed)));
    const label = document.createElement("label");
    label.setAttribute("part", "speed-label");
    label.append(this.#speedLabel, this.#speed);
    this.#bar.append(this.#play, this.#previous, this.#next, this.#stop, label, this.#status);
    root.append(this.#bar, document.createElement("slot"));

    this.#play.onclick = () => wishes.toggle();
    this.#stop.onclick = () => wishes.stop();
    this.#previous.onclick = () => wishes.previous();
    this.#next.onclick = () => wishes.next();
    this.#speed.onchange = () => wishes.speed(Number(this.#speed.value));
    this.#bar.onkeydown = (event) => {
      const wish = { Escape: wishes.stop, ArrowLeft: wishes.previous, ArrowRight: wishes.next }[event.key];
      // in the speed control, arrow keys select a speed
      if (!wish || event.target === this.#speed || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      wish();
    };
    this.#write();
  }

  set labels(labels: Labels) {
    this.#labels = labels;
    this.#write();
  }

  get labels(): Labels {
    return this.#labels;
  }

  set state(state: string) {
    this.#state = state;
    this.#write();
  }

  set speed(speed: number) {
    const value = String(speed);
    if (![...this.#speed.options].some((option) => option.value === value)) {
      this.#speed.add(new Option(`${speed}×`, value));
    }
    this.#speed.value = value;
  }

  /** Message in the live region; an empty string removes it. */
  set message(message: string) {
    this.#status.textContent = message;
  }

  #write(): void {
    const isIdle = this.#state === "idle";
    const plays = this.#state === "playing" || this.#state === "loading";
    const { group, play, pause, resume, stop, previous, next, speed } = this.#labels;
    this.#bar.setAttribute("aria-label", group);
    this.#bar.dataset["state"] = this.#state;
    draw(this.#play, plays ? "pause" : "play", plays ? pause : isIdle ? play : resume, true);
    draw(this.#stop, "stop", stop);
    draw(this.#previous, "previous", previous);
    draw(this.#next, "next", next);
    // the attribute `disabled` is not used, because it would move the focus away from the pressed button
    for (const each of [this.#stop, this.#previous, this.#next]) each.setAttribute("aria-disabled", String(isIdle));
    this.#speedLabel.textContent = speed;
  }
}

function button(name: Icon): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.setAttribute("part", `button ${name}`);
  return made;
}

/** Sets the icon and the name of a button. If `shown` is `true`, the name is displayed next to the icon. */
function draw(target: HTMLButtonElement, icon: Icon, name: string, shown = false): void {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", "0 0 16 16");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[icon]);
  picture.append(path);
  target.replaceChildren(picture, ...(shown ? [name] : []));
  if (shown) {
    target.removeAttribute("aria-label");
  } else {
    target.setAttribute("aria-label", name);
    target.title = name;
  }
}
