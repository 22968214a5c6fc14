/* Cast receiver: waits for pairing, or shows the chart of its session and follows its changes.
   One classic script in ECMAScript 2015, for Chromium 53 and later. */

(function () {
  "use strict";

  const API = "/api/v1/cast/";
  const IMAGE_KEY = "chartroom.cast";
  const RELOADED_KEY = "chartroom.reloaded";
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;
  // Time without a server response after which the image is marked as outdated.
  const STALE_MS = 30 * SECOND;
  // Time after which a silent event stream is replaced. The server sends an event every 20 s.
  const MAX_SILENCE_MS = 28 * SECOND;
  // Maximum size of the image that is stored and shown immediately after a reload.
  const MAX_STORED_BYTES = 400000;

  const token = location.pathname.replace(/\/+$/, "").split("/").pop();
  const pageVersion = document.documentElement.getAttribute("data-server");
  const timers = {};
  const started = Date.now();
  // Time of the last server response; 0 before the first one.
  let contact = 0;
  let failures = 0;

  function id(name) {
    return document.getElementById(name);
  }

  function show(name, text) {
    const element = id(name);
    if (text !== undefined && element.textContent !== text) {
      element.textContent = text;
    }
    element.hidden = false;
  }

  function hide(name) {
    id(name).hidden = true;
  }

  // Runs `work` after `pause`. Replaces the pending timer of the same name.
  function schedule(name, pause, work) {
    clearTimeout(timers[name]);
    timers[name] = setTimeout(work, pause);
  }

  // Adds jitter to `pause`, so that screens that started together do not send requests together.
  function jitter(pause) {
    return pause * (0.75 + Math.random() / 2);
  }

  // Backoff after `count` failures: 2, 4, 8, 16, 20 s. A screen reconnects within half a minute after
  // the server is back. A thousand screens send 50 requests per second.
  function backoff(count) {
    return jitter(Math.min(20, Math.pow(2, Math.min(count, 5))) * SECOND);
  }

  // Sends a request. Calls `done` with the status (0 without a response), the body and the request.
  function send(method, url, body, kind, done) {
    const request = new XMLHttpRequest();
    const none = function () {
      done(0, null, request);
    };
    request.open(method, url);
    request.timeout = 20 * SECOND;
    request.responseType = kind;
    request.onload = function () {
      done(request.status, request.response, request);
    };
    request.onerror = none;
    request.ontimeout = none;
    if (body) {
      request.setRequestHeader("Content-Type", "application/json");
    }
    request.send(body ? JSON.stringify(body) : null);
  }

  // Reads a value, or writes it if given, or removes it if null. Returns null if the storage is
  // blocked or full.
  function stored(storage, key, value) {
    try {
      if (value === null) {
        window[storage].removeItem(key);
      } else if (value !== undefined) {
        window[storage].setItem(key, value);
      }
      return window[storage].getItem(key);
    } catch (error) {
      return null;
    }
  }

  // Reloads the page once per server version if the version has changed. Checks first that the server
  // responds, because a page that fails to load cannot recover.
  function reloadIfUpdated(server) {
    if (!server || server === pageVersion || timers.reload || stored("sessionStorage", RELOADED_KEY) === server) {
      return;
    }
    schedule("reload", SECOND + Math.random() * 15 * SECOND, function () {
      send("GET", location.pathname, null, "text", function (status) {
        timers.reload = 0;
        const isNoted = stored("sessionStorage", RELOADED_KEY, server) === server;
        if (status === 200 && isNoted && !picture.loading) {
          location.reload();
        }
      });
    });
  }

  function clockTime(time) {
    const two = function (number) {
      return (number < 10 ? "0" : "") + number;
    };
    const date = new Date(time);
    return two(date.getHours()) + ":" + two(date.getMinutes());
  }

  function ageText(time) {
    const minutes = Math.floor((Date.now() - time) / MINUTE);
    if (minutes < 1) {
      return "";
    }
    if (minutes < 120) {
      return " (" + minutes + " min ago)";
    }
    return minutes < 48 * 60
      ? " (" + Math.floor(minutes / 60) + " hours ago)"
      : " (" + Math.floor(minutes / 1440) + " days ago)";
  }

  function recordContact() {
    contact = Date.now();
    failures = 0;
    updateChip();
  }

  // Shows a note if the image may be outdated: no server response, or the image failed to load.
  function updateChip() {
    const now = Date.now();
    const state = picture.wanted;
    const isBehind = state && state.revision !== picture.revision;
    if (now - Math.max(contact, started) >= STALE_MS) {
      show("chip", contact ? "Not updating since " + clockTime(contact) + ageText(contact) : "No connection to the server");
    } else if (isBehind && now - picture.changed >= STALE_MS) {
      show("chip", "Not updating since " + clockTime(picture.changed) + ageText(picture.changed));
    } else {
      hide("chip");
    }
  }

  // == Screen with a session

  const picture = {
    // Latest state from the server.
    wanted: null,
    // Revision on the screen, and the size for which it was rendered.
    revision: -1,
    size: "",
    front: null,
    url: "",
    loading: false,
    failures: 0,
    format: "svg",
    changed: Date.now()
  };
  let stream = null;
  let isStreaming = false;
  let nextStream = 0;
  let streamFailures = 0;
  let isOver = false;

  function stageSize() {
    const stage = id("stage");
    return {
      width: Math.max(40, stage.clientWidth),
      height: Math.max(40, stage.clientHeight),
      density: Math.min(8, Math.max(0.25, window.devicePixelRatio || 1))
    };
  }

  function sizeNow() {
    const at = stageSize();
    return at.width + "x" + at.height;
  }

  // Fades in the new image over the old one, and releases the old image afterwards.
  function showLayer(layer, url) {
    const old = picture.front;
    const oldUrl = picture.url;
    layer.hidden = false;
    // Force a layout, because the transition starts from a rendered state only.
    void layer.offsetWidth;
    if (old) {
      old.className = "below";
    }
    layer.className = "on";
    picture.front = layer;
    picture.url = url;
    hide("message");
    setTimeout(function () {
      if (old) {
        old.className = "";
        old.hidden = true;
        old.removeAttribute("src");
      }
      if (oldUrl) {
        URL.revokeObjectURL(oldUrl);
      }
    }, 700);
  }

  // Shows an image after the browser has decoded it. The previous image stays until then.
  function showImage(blob, done) {
    const layer = picture.front === id("one") ? id("two") : id("one");
    const url = URL.createObjectURL(blob);
    const finish = function (isGood) {
      layer.onload = null;
      layer.onerror = null;
      if (isGood && !isOver) {
        showLayer(layer, url);
      } else {
        URL.revokeObjectURL(url);
      }
      done(isGood);
    };
    layer.onload = function () {
      const good = function () {
        finish(true);
      };
      // Without `decode` the browser decodes the image when it is shown.
      if (layer.decode) {
        layer.decode().then(good, good);
      } else {
        good();
      }
    };
    layer.onerror = function () {
      finish(false);
    };
    layer.src = url;
  }

  function loadImage() {
    const state = picture.wanted;
    const at = stageSize();
    const size = sizeNow();
    if (isOver || !state || picture.loading || (picture.revision === state.revision && picture.size === size)) {
      return;
    }
    picture.loading = true;
    const url =
      API + token + "/document." + picture.format + "?width=" + at.width + "&height=" + at.height + "&density=" + at.density;
    const failed = function () {
      picture.loading = false;
      picture.failures += 1;
      schedule("load", backoff(picture.failures), loadImage);
    };
    send("GET", url, null, "blob", function (status, blob) {
      if (isOver) {
        return;
      }
      if (status !== 200 || !blob) {
        failed();
        // The session may have ended. The next check tells.
        schedule("check", status === 401 ? 0 : 2 * SECOND, checkSession);
        return;
      }
      showImage(blob, function (isGood) {
        if (!isGood) {
          // Fall back to PNG if the browser cannot show the SVG.
          picture.format = "png";
          failed();
          return;
        }
        picture.loading = false;
        picture.failures = 0;
        picture.revision = state.revision;
        picture.size = size;
        document.body.style.backgroundColor = state.background;
        storeImage(blob, state);
        schedule("seen", 200, reportSeen);
        updateChip();
        // Load again if the state changed in the meantime.
        loadImage();
      });
    });
  }

  // Reports the revision on the screen, for the list of screens.
  function reportSeen() {
    send("POST", API + token + "/seen", { revision: picture.revision }, "text", function () {});
  }

  function storeImage(blob, state) {
    stored("localStorage", IMAGE_KEY, null);
    if (picture.format !== "svg" || blob.size > MAX_STORED_BYTES) {
      return;
    }
    const reader = new FileReader();
    reader.onload = function () {
      const kept = { token: token, svg: reader.result, background: state.background, at: Date.now() };
      if (!isOver) {
        stored("localStorage", IMAGE_KEY, JSON.stringify(kept));
      }
    };
    reader.readAsText(blob);
  }

  function restoreImage() {
    let kept = null;
    try {
      kept = JSON.parse(stored("localStorage", IMAGE_KEY));
    } catch (error) {
      // Treat invalid data as missing.
    }
    if (!kept || kept.token !== token || !kept.svg) {
      return;
    }
    contact = kept.at;
    document.body.style.backgroundColor = kept.background;
    showImage(new Blob([kept.svg], { type: "image/svg+xml" }), function () {});
  }

  // Applies a state from the server.
  function applyState(state) {
    if (isOver) {
      return;
    }
    if (!state.valid) {
      endSession("This screen was disconnected");
      return;
    }
    recordContact();
    reloadIfUpdated(state.server);
    const old = picture.wanted;
    if (!old || old.revision !== state.revision) {
      picture.changed = Date.now();
    }
    picture.wanted = state;
    document.title = state.device_name + " - Chartroom";
    // Random delay, because the server notifies all screens at the same time.
    schedule("load", old ? Math.random() * 250 : 0, loadImage);
  }

  function checkSession() {
    schedule("check", 30 * SECOND, checkSession);
    send("GET", API + token + "/check", null, "json", function (status, state, request) {
      if (isOver) {
        return;
      }
      if (status === 200 && state) {
        applyState(state);
        openStream();
        const rest = Date.now() - picture.changed > 10 * MINUTE ? 15 : 5;
        schedule("check", jitter((isStreaming ? 60 : rest) * SECOND), checkSession);
        return;
      }
      failures += 1;
      const asked = Number(request.getResponseHeader && request.getResponseHeader("Retry-After")) || 0;
      schedule("check", Math.max(backoff(failures), asked * SECOND), checkSession);
    });
  }

  function closeStream() {
    isStreaming = false;
    if (stream) {
      stream.close();
      stream = null;
    }
  }

  // Opens the event stream. If that fails, polling continues.
  function openStream() {
    if (isOver || stream || !window.EventSource || Date.now() < nextStream) {
      return;
    }
    stream = new EventSource(API + token + "/events");
    const told = function (event) {
      isStreaming = true;
      streamFailures = 0;
      clearTimeout(timers.stream);
      applyState(JSON.parse(event.data));
    };
    const over = function () {
      endSession("This screen was disconnected");
    };
    const broken = function () {
      const was = isStreaming;
      closeStream();
      streamFailures += 1;
      nextStream = Date.now() + Math.min(300, Math.pow(2, streamFailures)) * SECOND;
      if (was && !isOver) {
        schedule("check", jitter(2 * SECOND), checkSession);
      }
    };
    stream.addEventListener("hello", told);
    stream.addEventListener("updated", told);
    stream.addEventListener("beat", recordContact);
    stream.addEventListener("revoked", over);
    stream.addEventListener("expired", over);
    stream.onerror = broken;
    // Close the stream if nothing arrives, because a proxy may buffer it.
    schedule("stream", 15 * SECOND, broken);
  }

  function watch() {
    if (isOver) {
      return;
    }
    updateChip();
    if (isStreaming && Date.now() - contact > MAX_SILENCE_MS) {
      closeStream();
      checkSession();
    }
  }

  // Ends the session and removes the document from the screen and the storage.
  function endSession(text) {
    if (isOver) {
      return;
    }
    isOver = true;
    closeStream();
    Object.keys(timers).forEach(function (name) {
      clearTimeout(timers[name]);
    });
    stored("localStorage", IMAGE_KEY, null);
    hide("chip");
    hide("bar");
    document.title = "Screen - Chartroom";
    id("stage").className = "gone";
    setTimeout(function () {
      id("stage").hidden = true;
      id("one").removeAttribute("src");
      id("two").removeAttribute("src");
      document.body.style.backgroundColor = "";
      show("message", text);
    }, 700);
    setTimeout(function () {
      location.replace("/cast/receiver");
    }, 20 * SECOND);
  }

  // Moves the image by a few pixels regularly to avoid burn-in.
  function shiftImage() {
    const path = [[0, 0], [2, 1], [4, 0], [3, -3], [0, -4], [-3, -3], [-4, 0], [-2, 3]];
    let step = 0;
    setInterval(function () {
      step = (step + 1) % path.length;
      id("stage").style.transform = "translate(" + path[step][0] + "px," + path[step][1] + "px)";
    }, 3 * MINUTE);
  }

  function stayAwake() {
    const ignore = function () {};
    if (navigator.wakeLock && !document.hidden) {
      navigator.wakeLock.request("screen").then(ignore, ignore);
    }
  }

  function hideBar() {
    hide("bar");
    document.body.className = "";
  }

  function showBar() {
    const state = picture.wanted;
    if (isOver || !state) {
      return;
    }
    const changed = new Date(state.last_modified);
    id("title").textContent = state.title || "Untitled";
    show("facts", state.device_name + " · changed " + changed.toLocaleDateString() + " " + clockTime(changed));
    show("bar");
    document.body.className = "pointed";
    schedule("bar", 8 * SECOND, hideBar);
  }

  function enterFullscreen() {
    const page = document.documentElement;
    const request = page.requestFullscreen || page.webkitRequestFullscreen;
    if (request && !document.fullscreenElement && !document.webkitFullscreenElement) {
      const asked = request.call(page);
      if (asked && asked.catch) {
        asked.catch(function () {});
      }
    }
  }

  function controls() {
    // Key codes of the back button on remote controls: Tizen, webOS, others.
    const back = [10009, 461, 27, 8];
    document.addEventListener("keydown", function (event) {
      if (back.indexOf(event.keyCode) >= 0) {
        hideBar();
        return;
      }
      enterFullscreen();
      if (id("bar").hidden) {
        showBar();
        id("leave").focus();
        event.preventDefault();
      }
    });
    document.addEventListener("click", showBar);
    // The session does not end here. Only its owner can end it, and this address opens it again.
    id("leave").addEventListener("click", function () {
      stored("localStorage", IMAGE_KEY, null);
      location.replace("/cast/receiver");
    });
  }

  function runSession() {
    restoreImage();
    controls();
    shiftImage();
    stayAwake();
    setInterval(watch, 5 * SECOND);
    window.addEventListener("resize", function () {
      schedule("resize", 500, loadImage);
    });
    window.addEventListener("online", checkSession);
    document.addEventListener("visibilitychange", function () {
      stayAwake();
      if (!document.hidden && !isOver) {
        checkSession();
      }
    });
    checkSession();
  }

  // == Screen that waits for pairing

  const RING = 62.83;
  let waiting = null;

  function updateCountdown() {
    updateChip();
    if (!waiting) {
      return;
    }
    const left = Math.max(0, waiting.end - Date.now());
    id("left").style.strokeDashoffset = String(RING * (1 - left / waiting.life));
    // Subtract 2 s, because the server's time has a resolution of one second.
    const minutes = Math.ceil((left - 2 * SECOND) / MINUTE);
    id("time").textContent = minutes > 1 ? "A new code in " + minutes + " minutes" : "A new code in a minute";
  }

  // Returns the lifetime of a code by the server's clock, because the screen's clock can be wrong.
  function codeLifetime(answer, request) {
    const now = Date.parse(request.getResponseHeader("Date"));
    return Math.max(MINUTE, Date.parse(answer.expires_at) - now) || 10 * MINUTE;
  }

  function requestCode() {
    send("POST", API + "pair", {}, "json", function (status, answer, request) {
      if (status !== 200 || !answer) {
        failures += 1;
        schedule("pair", backoff(failures), requestCode);
        return;
      }
      recordContact();
      const time = codeLifetime(answer, request);
      waiting = { token: answer.poll_token, began: Date.now(), end: Date.now() + time, life: time };
      id("code").textContent = answer.code;
      id("address").textContent = answer.url.replace(/^https?:\/\//, "").replace(/\/[^/]*$/, "");
      id("qr").src = "data:image/svg+xml," + encodeURIComponent(answer.qr);
      updateCountdown();
      schedule("pair", 3 * SECOND, pollPairing);
      checkVersion();
    });
  }

  // Checks with each new code whether the server version has changed.
  function checkVersion() {
    send("GET", "/cast/receiver", null, "text", function (status, page) {
      const found = status === 200 && /data-server="([^"]*)"/.exec(page);
      if (found) {
        reloadIfUpdated(found[1]);
      }
    });
  }

  function pollPairing() {
    if (Date.now() >= waiting.end) {
      requestCode();
      return;
    }
    send("GET", API + "pair/" + waiting.token, null, "json", function (status, answer) {
      if (status === 200 && answer) {
        recordContact();
        if (answer.paired) {
          location.replace("/cast/" + answer.token);
          return;
        }
        const isNew = Date.now() - waiting.began < 3 * MINUTE;
        schedule("pair", jitter((isNew ? 3 : 10) * SECOND), pollPairing);
        return;
      }
      if (status === 404) {
        requestCode();
        return;
      }
      failures += 1;
      schedule("pair", backoff(failures), pollPairing);
    });
  }

  if (token === "receiver") {
    show("receiver");
    document.title = "Show a chart here - Chartroom";
    setInterval(updateCountdown, SECOND);
    requestCode();
  } else {
    runSession();
  }
})();
