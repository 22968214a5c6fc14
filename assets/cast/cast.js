/* A screen: waits to be paired, or shows what its address opens and follows every change of it.
   One classic script in ECMAScript 2015, for browsers as old as Chromium 53. */

(function () {
  "use strict";

  const API = "/api/v1/cast/";
  const KEPT = "chartroom.cast";
  const RELOADED = "chartroom.reloaded";
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;
  // Without a word from the server for so long, the picture is marked as old.
  const STALE = 30 * SECOND;
  // A stream says something every 20 s; after this it is asked whether it still is one.
  const SILENCE = 28 * SECOND;
  // Pictures up to this size are shown at once after a reload.
  const KEPT_BYTES = 400000;

  const token = location.pathname.replace(/\/+$/, "").split("/").pop();
  const own = document.documentElement.getAttribute("data-server");
  const timers = {};
  const started = Date.now();
  // When the server last answered; 0 before that.
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

  // Runs `work` after `pause`, in place of what was to run under this name.
  function later(name, pause, work) {
    clearTimeout(timers[name]);
    timers[name] = setTimeout(work, pause);
  }

  // About `pause`: many screens that began together do not stay together.
  function about(pause) {
    return pause * (0.75 + Math.random() / 2);
  }

  // The pause after so many failures: 2, 4, 8, 16, 20 s. No screen is longer than half a minute behind
  // a server that is there again; a thousand of them ask it 50 times a second.
  function patience(count) {
    return about(Math.min(20, Math.pow(2, Math.min(count, 5))) * SECOND);
  }

  // One request. `done` gets the status (0 without an answer), the answer and the request.
  function ask(method, url, body, kind, done) {
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

  // Storage may be forbidden or full: then nothing is kept.
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

  // Loads the page again when the server's program is another one, once for each, and only while the
  // server answers: a page that fails to load would not come back.
  function compare(server) {
    if (!server || server === own || timers.reload || stored("sessionStorage", RELOADED) === server) {
      return;
    }
    later("reload", SECOND + Math.random() * 15 * SECOND, function () {
      ask("GET", location.pathname, null, "text", function (status) {
        timers.reload = 0;
        const isNoted = stored("sessionStorage", RELOADED, server) === server;
        if (status === 200 && isNoted && !picture.loading) {
          location.reload();
        }
      });
    });
  }

  function clock(time) {
    const two = function (number) {
      return (number < 10 ? "0" : "") + number;
    };
    const date = new Date(time);
    return two(date.getHours()) + ":" + two(date.getMinutes());
  }

  function age(time) {
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

  function heardOf() {
    contact = Date.now();
    failures = 0;
    mark();
  }

  // Says so when what is on the screen may be old: no word came, or the picture did not.
  function mark() {
    const now = Date.now();
    const state = picture.wanted;
    const isBehind = state && state.revision !== picture.revision;
    if (now - Math.max(contact, started) >= STALE) {
      show("chip", contact ? "Not updating since " + clock(contact) + age(contact) : "No connection to the server");
    } else if (isBehind && now - picture.changed >= STALE) {
      show("chip", "Not updating since " + clock(picture.changed) + age(picture.changed));
    } else {
      hide("chip");
    }
  }

  // == What a session shows

  const picture = {
    // What the server has, as it said last.
    wanted: null,
    // What is on the screen: its revision, and the size that it was drawn for.
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

  function place() {
    const stage = id("stage");
    return {
      width: Math.max(40, stage.clientWidth),
      height: Math.max(40, stage.clientHeight),
      density: Math.min(8, Math.max(0.25, window.devicePixelRatio || 1))
    };
  }

  function sizeNow() {
    const at = place();
    return at.width + "x" + at.height;
  }

  // Puts a picture over the one that is there, and lets that go when it cannot be seen any more.
  function swap(layer, url) {
    const old = picture.front;
    const oldUrl = picture.url;
    layer.hidden = false;
    // The browser must have laid it out unseen before it can fade in.
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

  // Shows a picture once the browser has made pixels of it; the one before stays until then.
  function put(blob, done) {
    const layer = picture.front === id("one") ? id("two") : id("one");
    const url = URL.createObjectURL(blob);
    const finish = function (isGood) {
      layer.onload = null;
      layer.onerror = null;
      if (isGood && !isOver) {
        swap(layer, url);
      } else {
        URL.revokeObjectURL(url);
      }
      done(isGood);
    };
    layer.onload = function () {
      const good = function () {
        finish(true);
      };
      // What cannot be decoded ahead is decoded when it is shown.
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

  function load() {
    const state = picture.wanted;
    const at = place();
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
      later("load", patience(picture.failures), load);
    };
    ask("GET", url, null, "blob", function (status, blob) {
      if (isOver) {
        return;
      }
      if (status !== 200 || !blob) {
        failed();
        // It may be over: the next question tells.
        later("check", status === 401 ? 0 : 2 * SECOND, check);
        return;
      }
      put(blob, function (isGood) {
        if (!isGood) {
          // An engine that cannot show an SVG within a page gets pixels.
          picture.format = "png";
          failed();
          return;
        }
        picture.loading = false;
        picture.failures = 0;
        picture.revision = state.revision;
        picture.size = size;
        document.body.style.backgroundColor = state.background;
        keep(blob, state);
        later("seen", 200, tell);
        mark();
        // What changed meanwhile.
        load();
      });
    });
  }

  // Tells what is on the screen, for the list of screens.
  function tell() {
    ask("POST", API + token + "/seen", { revision: picture.revision }, "text", function () {});
  }

  function keep(blob, state) {
    stored("localStorage", KEPT, null);
    if (picture.format !== "svg" || blob.size > KEPT_BYTES) {
      return;
    }
    const reader = new FileReader();
    reader.onload = function () {
      const kept = { token: token, svg: reader.result, background: state.background, at: Date.now() };
      if (!isOver) {
        stored("localStorage", KEPT, JSON.stringify(kept));
      }
    };
    reader.readAsText(blob);
  }

  function restore() {
    let kept = null;
    try {
      kept = JSON.parse(stored("localStorage", KEPT));
    } catch (error) {
      // It is as good as none.
    }
    if (!kept || kept.token !== token || !kept.svg) {
      return;
    }
    contact = kept.at;
    document.body.style.backgroundColor = kept.background;
    put(new Blob([kept.svg], { type: "image/svg+xml" }), function () {});
  }

  // The server said how things are.
  function heard(state) {
    if (isOver) {
      return;
    }
    if (!state.valid) {
      leave("This screen was disconnected");
      return;
    }
    heardOf();
    compare(state.server);
    const old = picture.wanted;
    if (!old || old.revision !== state.revision) {
      picture.changed = Date.now();
    }
    picture.wanted = state;
    document.title = state.device_name + " - Chartroom";
    // Spread a little: a thousand screens are told in the same moment.
    later("load", old ? Math.random() * 250 : 0, load);
  }

  function check() {
    later("check", 30 * SECOND, check);
    ask("GET", API + token + "/check", null, "json", function (status, state, request) {
      if (isOver) {
        return;
      }
      if (status === 200 && state) {
        heard(state);
        listen();
        const rest = Date.now() - picture.changed > 10 * MINUTE ? 15 : 5;
        later("check", about((isStreaming ? 60 : rest) * SECOND), check);
        return;
      }
      failures += 1;
      const asked = Number(request.getResponseHeader && request.getResponseHeader("Retry-After")) || 0;
      later("check", Math.max(patience(failures), asked * SECOND), check);
    });
  }

  function closeStream() {
    isStreaming = false;
    if (stream) {
      stream.close();
      stream = null;
    }
  }

  // Has the server tell of changes as they happen. Where that does not work, asking again and again
  // goes on.
  function listen() {
    if (isOver || stream || !window.EventSource || Date.now() < nextStream) {
      return;
    }
    stream = new EventSource(API + token + "/events");
    const told = function (event) {
      isStreaming = true;
      streamFailures = 0;
      clearTimeout(timers.stream);
      heard(JSON.parse(event.data));
    };
    const over = function () {
      leave("This screen was disconnected");
    };
    const broken = function () {
      const was = isStreaming;
      closeStream();
      streamFailures += 1;
      nextStream = Date.now() + Math.min(300, Math.pow(2, streamFailures)) * SECOND;
      if (was && !isOver) {
        later("check", about(2 * SECOND), check);
      }
    };
    stream.addEventListener("hello", told);
    stream.addEventListener("updated", told);
    stream.addEventListener("beat", heardOf);
    stream.addEventListener("revoked", over);
    stream.addEventListener("expired", over);
    stream.onerror = broken;
    // A proxy may hold everything back.
    later("stream", 15 * SECOND, broken);
  }

  function watch() {
    if (isOver) {
      return;
    }
    mark();
    if (isStreaming && Date.now() - contact > SILENCE) {
      closeStream();
      check();
    }
  }

  // Nothing of the document stays on the screen or in the browser.
  function leave(text) {
    if (isOver) {
      return;
    }
    isOver = true;
    closeStream();
    Object.keys(timers).forEach(function (name) {
      clearTimeout(timers[name]);
    });
    stored("localStorage", KEPT, null);
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

  // Moves the picture by a few pixels now and then, so that no edge burns in.
  function drift() {
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
    show("facts", state.device_name + " · changed " + changed.toLocaleDateString() + " " + clock(changed));
    show("bar");
    document.body.className = "pointed";
    later("bar", 8 * SECOND, hideBar);
  }

  function fill() {
    const page = document.documentElement;
    const wish = page.requestFullscreen || page.webkitRequestFullscreen;
    if (wish && !document.fullscreenElement && !document.webkitFullscreenElement) {
      const asked = wish.call(page);
      if (asked && asked.catch) {
        asked.catch(function () {});
      }
    }
  }

  function controls() {
    // Back of remote controls: Tizen, webOS, others.
    const back = [10009, 461, 27, 8];
    document.addEventListener("keydown", function (event) {
      if (back.indexOf(event.keyCode) >= 0) {
        hideBar();
        return;
      }
      fill();
      if (id("bar").hidden) {
        showBar();
        id("leave").focus();
        event.preventDefault();
      }
    });
    document.addEventListener("click", showBar);
    // The session stays: only its owner can end it, and this address opens it again.
    id("leave").addEventListener("click", function () {
      stored("localStorage", KEPT, null);
      location.replace("/cast/receiver");
    });
  }

  function present() {
    restore();
    controls();
    drift();
    stayAwake();
    setInterval(watch, 5 * SECOND);
    window.addEventListener("resize", function () {
      later("resize", 500, load);
    });
    window.addEventListener("online", check);
    document.addEventListener("visibilitychange", function () {
      stayAwake();
      if (!document.hidden && !isOver) {
        check();
      }
    });
    check();
  }

  // == Waiting to be paired

  const RING = 62.83;
  let waiting = null;

  function tick() {
    mark();
    if (!waiting) {
      return;
    }
    const left = Math.max(0, waiting.end - Date.now());
    id("left").style.strokeDashoffset = String(RING * (1 - left / waiting.life));
    // The server tells its time in whole seconds.
    const minutes = Math.ceil((left - 2 * SECOND) / MINUTE);
    id("time").textContent = minutes > 1 ? "A new code in " + minutes + " minutes" : "A new code in a minute";
  }

  // How long a code lasts, by the server's clock alone: that of a screen may be anywhere.
  function life(answer, request) {
    const now = Date.parse(request.getResponseHeader("Date"));
    return Math.max(MINUTE, Date.parse(answer.expires_at) - now) || 10 * MINUTE;
  }

  function begin() {
    ask("POST", API + "pair", {}, "json", function (status, answer, request) {
      if (status !== 200 || !answer) {
        failures += 1;
        later("pair", patience(failures), begin);
        return;
      }
      heardOf();
      const time = life(answer, request);
      waiting = { token: answer.poll_token, began: Date.now(), end: Date.now() + time, life: time };
      id("code").textContent = answer.code;
      id("address").textContent = answer.url.replace(/^https?:\/\//, "").replace(/\/[^/]*$/, "");
      id("qr").src = "data:image/svg+xml," + encodeURIComponent(answer.qr);
      tick();
      later("pair", 3 * SECOND, poll);
      renew();
    });
  }

  // Each code is an occasion to see whether the server's program is still that of this page.
  function renew() {
    ask("GET", "/cast/receiver", null, "text", function (status, page) {
      const found = status === 200 && /data-server="([^"]*)"/.exec(page);
      if (found) {
        compare(found[1]);
      }
    });
  }

  function poll() {
    if (Date.now() >= waiting.end) {
      begin();
      return;
    }
    ask("GET", API + "pair/" + waiting.token, null, "json", function (status, answer) {
      if (status === 200 && answer) {
        heardOf();
        if (answer.paired) {
          location.replace("/cast/" + answer.token);
          return;
        }
        const isNew = Date.now() - waiting.began < 3 * MINUTE;
        later("pair", about((isNew ? 3 : 10) * SECOND), poll);
        return;
      }
      if (status === 404) {
        begin();
        return;
      }
      failures += 1;
      later("pair", patience(failures), poll);
    });
  }

  if (token === "receiver") {
    show("receiver");
    document.title = "Show a chart here - Chartroom";
    setInterval(tick, SECOND);
    begin();
  } else {
    present();
  }
})();
