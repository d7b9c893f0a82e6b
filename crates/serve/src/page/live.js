// Reads the rows anew when the server says that there is news. The page works without it.
"use strict";
const live = document.querySelector("#live[data-live]");
if (live) {
  let waits = false;
  const read = () => {
    waits = false;
    const request = new XMLHttpRequest();
    request.responseType = "document"; // a document of its own: nothing in it runs
    request.onload = () => {
      const rows = request.response && request.response.getElementById("events");
      const here = document.getElementById("events");
      if (request.status !== 200 || !rows) return;
      if (!here) return location.reload();
      if (here.contains(document.activeElement)) return; // a person is in the rows: they stay
      here.replaceWith(document.importNode(rows, true));
      live.textContent = "New events are shown as they happen.";
    };
    request.open("GET", location.href);
    request.send();
  };
  new EventSource("/live").addEventListener("news", () => {
    if (!waits) { waits = true; setTimeout(read, 300); }
  });
}
