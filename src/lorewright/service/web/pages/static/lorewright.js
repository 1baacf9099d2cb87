// A pack whose files are followed is shown anew after each save.
(() => {
  const watched = document.querySelector("[data-watch]");
  if (!watched) return;
  const source = new EventSource(watched.dataset.watch);
  let looks = 0;
  source.addEventListener("looked", () => {
    looks += 1;
    // The page itself has what the first look finds.
    if (looks > 1) htmx.ajax("GET", location.href, { target: "#pack", select: "#pack", swap: "outerHTML" });
  });
})();

// The table follows its events; without this file everything works by loading pages.
(() => {
  const scene = () => document.getElementById("scene");
  const form = document.querySelector("[data-turn-form]");
  const live = document.getElementById("live");
  const told = document.getElementById("told");
  const notice = document.getElementById("notice");
  if (!scene()) return;
  const campaign = encodeURIComponent(scene().dataset.campaign);
  const role = encodeURIComponent(scene().dataset.role);
  const say = (text) => { if (notice) notice.textContent = text; };
  let sending = false;
  // What was typed and sent; nothing where a suggestion was taken.
  let sent = null;

  const quiet = () => { live.hidden = true; told.textContent = ""; };
  const newest = () => { const turns = document.querySelectorAll(".turns article"); turns[turns.length - 1]?.scrollIntoView({ block: "nearest" }); };
  // Events have told of more than the page shows. What could not be fetched, as without a connection, is asked for again.
  let behind = false;
  let lag = 1000;
  let again = 0;
  const reload = () => {
    behind = true;
    // The answer to what is being sent brings the scene.
    if (sending) return;
    clearTimeout(again);
    const shown = scene();
    const done = () => {
      if (scene() !== shown) { behind = false; lag = 1000; quiet(); newest(); return; }
      clearTimeout(again);
      again = setTimeout(reload, lag);
      lag = Math.min(lag * 2, 30000);
    };
    htmx.ajax("GET", location.href, { target: "#scene", select: "#scene", swap: "outerHTML" }).then(done, done);
  };
  window.addEventListener("online", () => { if (behind) reload(); });

  const GONE = "The connection is gone; what you type is kept, and it comes back by itself.";
  const OVER = "You are signed out, or have no seat here any more: load the page again. What you typed is kept.";
  // Whether asking again is of no use. A browser does not say with which status an event source was refused.
  const isOver = () => fetch(`/v1/campaigns/${campaign}?as=${role}`).then((answer) => [401, 403, 404].includes(answer.status), () => false);
  let wait = 1000;
  const follow = () => {
    const source = new EventSource(`/v1/campaigns/${campaign}/events?as=${role}&after=${scene().dataset.turn}`);
    const on = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data)));
    on("begun", () => { told.textContent = ""; live.hidden = false; });
    on("told", (data) => { live.hidden = false; told.textContent += data.text; });
    on("withdrawn", () => { told.textContent = ""; });
    on("ended", quiet);
    on("committed", reload);
    on("moved", reload);
    on("failed", (data) => { quiet(); say(data.detail ?? data.code); });
    on("closing", (data) => { if (data.reason) { source.close(); say(OVER); } });
    source.addEventListener("open", () => { wait = 1000; if (notice?.textContent === GONE) say(""); });
    source.addEventListener("error", () => {
      say(GONE);
      // A browser that was answered with anything but a stream (a proxy's 502, our 204) does not ask again by itself.
      if (source.readyState !== EventSource.CLOSED) return;
      isOver().then((over) => {
        if (over) { say(OVER); return; }
        setTimeout(follow, wait);
        wait = Math.min(wait * 2, 30000);
      });
    });
  };
  follow();

  if (!form) return;
  // Clicked twice it is sent once; the key of the form would see to it, too.
  document.addEventListener("submit", (event) => {
    if (sending && event.target === form) { event.preventDefault(); event.stopImmediatePropagation(); }
  }, true);
  form.addEventListener("submit", (event) => { sent = event.submitter?.name === "chosen" ? null : form.elements.text.value; });
  document.addEventListener("htmx:before:swap", (event) => {
    if (event.detail.ctx.text.includes('id="scene"')) return;
    // A refusal without a table: the one that is shown stays.
    event.preventDefault();
    say("It was refused: load the page again, and sign in if you have to. Your words are kept.");
  });
  form.addEventListener("htmx:before:request", () => { sending = true; say("It is being played …"); });
  form.addEventListener("htmx:error", () => { say("It could not be sent; your words are kept. Send them again: nothing is played twice."); });
  form.addEventListener("htmx:finally:request", () => {
    sending = false;
    quiet();
    newest();
    if (behind) reload();
  });
  document.addEventListener("htmx:after:swap", () => {
    if (!sending || scene().dataset.failed) { if (scene()?.dataset.failed) say(""); return; }
    say("");
    behind = false;
    if (form.elements.text.value === sent) form.elements.text.value = "";
    form.elements.key.value = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
    form.elements.text.focus();
  });
})();
