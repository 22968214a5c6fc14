/* Cast receiver: waits for pairing, or shows the chart of its session and follows its changes.
   One classic script in ECMAScript 2015, for Chromium 53 and later. */

(function () {
  "use strict";

  const API = "/api/v1/cast/";
  const IMAGE_KEY = "chartroom.cast";
  const RELOADED_KEY = "chartroom.reloaded";
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;
  // Time without a server response or a new image after which the image is marked as outdated.
  const STALE_MS = 30 * SECOND;
  // Time after which a silent event stream is replaced. The server sends an event every 20 s.
  const MAX_SILENCE_MS = 28 * SECOND;
  // Maximum size of the image that is stored and shown immediately after a reload.
  const MAX_STORED_BYTES = 400000;

  const token = location.pathname.replace(/\/+$/, "").split("/").pop();
  const pageTitle = document.title;
  const pageVersion = document.documentElement.getAttribute("data-server");
  const timers = {};
  const startTime = Date.now();
  // Time of the last server response, also in an earlier run of the page; 0 before the first one.
  let lastContact = 0;
  let failures = 0;

  function getElement(name) {
    return document.getElementById(name);
  }

  // Returns the text in the attribute `data-<key>` of an element, which the server has written in the language of
  // the page. `{name}` stands for a value.
  function getText(elementName, key, values) {
    return getElement(elementName).getAttribute("data-" + key).replace(/\{(\w+)\}/g, function (whole, name) {
      return values && name in values ? values[name] : whole;
    });
  }

  function showElement(name, text) {
    const element = getElement(name);
    if (text !== undefined && element.textContent !== text) {
      element.textContent = text;
    }
    element.hidden = false;
  }

  function hideElement(name) {
    getElement(name).hidden = true;
  }

  // Runs `callback` after `delay` milliseconds. Replaces the pending timer of the same name.
  function schedule(name, delay, callback) {
    clearTimeout(timers[name]);
    timers[name] = setTimeout(callback, delay);
  }

  // Changes `delay` randomly by up to 25 percent, so that screens that started together do not send requests together.
  function addJitter(delay) {
    return delay * (0.75 + Math.random() / 2);
  }

  // Returns the delay after `count` failures: 2, 4, 8, 16, 20 s, with jitter. A screen reconnects within half a minute after
  // the server is back. A thousand screens send 50 requests per second.
  function getBackoff(count) {
    return addJitter(Math.min(20, Math.pow(2, Math.min(count, 5))) * SECOND);
  }

  // Sends a request. Calls `callback` with the status (0 without a response), the body and the request.
  function sendRequest(method, url, body, responseType, callback) {
    const request = new XMLHttpRequest();
    const handleFailure = function () {
      callback(0, null, request);
    };
    request.open(method, url);
    request.timeout = 20 * SECOND;
    request.responseType = responseType;
    request.onload = function () {
      callback(request.status, request.response, request);
    };
    request.onerror = handleFailure;
    request.ontimeout = handleFailure;
    if (body) {
      request.setRequestHeader("Content-Type", "application/json");
    }
    request.send(body ? JSON.stringify(body) : null);
  }

  // Returns a stored value. Writes `value` first if it is given, or removes the stored one if it is null.
  // Returns null if the storage is blocked or full.
  function accessStorage(storage, key, value) {
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
    if (!server || server === pageVersion || timers.reload || accessStorage("sessionStorage", RELOADED_KEY) === server) {
      return;
    }
    schedule("reload", SECOND + Math.random() * 15 * SECOND, function () {
      sendRequest("GET", location.pathname, null, "text", function (status) {
        timers.reload = 0;
        const isNoted = accessStorage("sessionStorage", RELOADED_KEY, server) === server;
        if (status === 200 && isNoted && !image.loading) {
          location.reload();
        }
      });
    });
  }

  function formatClockTime(time) {
    const padNumber = function (number) {
      return (number < 10 ? "0" : "") + number;
    };
    const date = new Date(time);
    return padNumber(date.getHours()) + ":" + padNumber(date.getMinutes());
  }

  // Returns the note about an image of this time, with its age from one minute on.
  function formatStaleNote(time) {
    const minutes = Math.floor((Date.now() - time) / MINUTE);
    const clockTime = formatClockTime(time);
    if (minutes < 1) {
      return getText("chip", "stale", { time: clockTime });
    }
    if (minutes < 120) {
      return getText("chip", "stale-minutes", { time: clockTime, age: minutes });
    }
    return minutes < 48 * 60
      ? getText("chip", "stale-hours", { time: clockTime, age: Math.floor(minutes / 60) })
      : getText("chip", "stale-days", { time: clockTime, age: Math.floor(minutes / 1440) });
  }

  function recordContact() {
    lastContact = Date.now();
    failures = 0;
    updateChip();
  }

  // Shows a note if the image may be outdated: no server response, or the latest revision did not load.
  function updateChip() {
    const now = Date.now();
    const state = image.latestState;
    const isOutdated = state && state.image_version !== image.version;
    if (now - Math.max(lastContact, startTime) >= STALE_MS) {
      showElement("chip", lastContact ? formatStaleNote(lastContact) : getText("chip", "offline"));
    } else if (isOutdated && now - image.changedAt >= STALE_MS) {
      showElement("chip", formatStaleNote(image.changedAt));
    } else {
      hideElement("chip");
    }
  }

  // Shows the time of the data, if a source keeps them up to date. The day is shown unless it is today.
  function showDataAge(state) {
    if (!state.data_from) {
      hideElement("age");
      return;
    }
    const time = new Date(state.data_from);
    const isToday = time.toDateString() === new Date().toDateString();
    const day = isToday ? "" : time.toLocaleDateString(document.documentElement.lang) + " ";
    showElement("age", getText("age", state.source_fails ? "failing" : "text", { time: day + formatClockTime(time) }));
  }

  // == Screen with a session

  const image = {
    // Latest state of the session from the server; null before the first response.
    latestState: null,
    // Revision and image version on the screen, and the size for which it was rendered (see `getSizeKey`).
    revision: -1,
    version: "",
    sizeKey: "",
    // Element that shows the image, and the object URL of the image.
    frontLayer: null,
    url: "",
    loading: false,
    failures: 0,
    format: "svg",
    // Time of the latest change of the image version on the server.
    changedAt: Date.now()
  };
  let stream = null;
  let isStreaming = false;
  let nextStreamTime = 0;
  let streamFailures = 0;
  let isEnded = false;

  // Returns the size of the stage in pixels, at least 40, and the device pixels per pixel.
  function getStageSize() {
    const stage = getElement("stage");
    return {
      width: Math.max(40, stage.clientWidth),
      height: Math.max(40, stage.clientHeight),
      density: Math.min(8, Math.max(0.25, window.devicePixelRatio || 1))
    };
  }

  function getSizeKey() {
    const size = getStageSize();
    return size.width + "x" + size.height;
  }

  // Fades in the new image over the old one, and releases the old image afterwards.
  function showLayer(layer, url) {
    const oldLayer = image.frontLayer;
    const oldUrl = image.url;
    layer.hidden = false;
    // Force a layout, because the transition starts from a rendered state only.
    void layer.offsetWidth;
    if (oldLayer) {
      oldLayer.className = "below";
    }
    layer.className = "on";
    image.frontLayer = layer;
    image.url = url;
    hideElement("message");
    setTimeout(function () {
      if (oldLayer) {
        oldLayer.className = "";
        oldLayer.hidden = true;
        oldLayer.removeAttribute("src");
      }
      if (oldUrl) {
        URL.revokeObjectURL(oldUrl);
      }
    }, 700);
  }

  // Shows an image after the browser has decoded it. The previous image stays until then. Calls `callback`
  // with whether the browser could load the image.
  function showImage(blob, callback) {
    const layer = image.frontLayer === getElement("one") ? getElement("two") : getElement("one");
    const url = URL.createObjectURL(blob);
    const finish = function (isLoaded) {
      layer.onload = null;
      layer.onerror = null;
      if (isLoaded && !isEnded) {
        showLayer(layer, url);
      } else {
        URL.revokeObjectURL(url);
      }
      callback(isLoaded);
    };
    layer.onload = function () {
      const handleDecoded = function () {
        finish(true);
      };
      // Without `decode` the browser decodes the image when it is shown.
      if (layer.decode) {
        layer.decode().then(handleDecoded, handleDecoded);
      } else {
        handleDecoded();
      }
    };
    layer.onerror = function () {
      finish(false);
    };
    layer.src = url;
  }

  // Loads the image of the latest state, unless it is on the screen in the current size.
  function loadImage() {
    const state = image.latestState;
    const stage = getStageSize();
    const sizeKey = getSizeKey();
    if (isEnded || !state || image.loading || (image.version === state.image_version && image.sizeKey === sizeKey)) {
      return;
    }
    image.loading = true;
    const address =
      API + token + "/document." + image.format + "?width=" + stage.width + "&height=" + stage.height + "&density=" + stage.density;
    const handleFailure = function () {
      image.loading = false;
      image.failures += 1;
      schedule("load", getBackoff(image.failures), loadImage);
    };
    sendRequest("GET", address, null, "blob", function (status, blob) {
      if (isEnded) {
        return;
      }
      if (status !== 200 || !blob) {
        handleFailure();
        // The session may have ended. The next check shows it.
        schedule("check", status === 401 ? 0 : 2 * SECOND, checkSession);
        return;
      }
      showImage(blob, function (isShown) {
        if (!isShown) {
          // Fall back to PNG if the browser cannot show the SVG.
          image.format = "png";
          handleFailure();
          return;
        }
        image.loading = false;
        image.failures = 0;
        image.revision = state.revision;
        image.version = state.image_version;
        image.sizeKey = sizeKey;
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
    sendRequest("POST", API + token + "/seen", { revision: image.revision }, "text", function () {});
  }

  // Stores an SVG for the next start of the page. Removes the stored image if it cannot be stored.
  function storeImage(blob, state) {
    accessStorage("localStorage", IMAGE_KEY, null);
    if (image.format !== "svg" || blob.size > MAX_STORED_BYTES) {
      return;
    }
    const reader = new FileReader();
    reader.onload = function () {
      const storedImage = { token: token, svg: reader.result, background: state.background, at: Date.now() };
      if (!isEnded) {
        accessStorage("localStorage", IMAGE_KEY, JSON.stringify(storedImage));
      }
    };
    reader.readAsText(blob);
  }

  // Shows the stored image of this session, if there is one.
  function restoreImage() {
    let storedImage = null;
    try {
      storedImage = JSON.parse(accessStorage("localStorage", IMAGE_KEY));
    } catch (error) {
      // Treat invalid data as missing.
    }
    if (!storedImage || storedImage.token !== token || !storedImage.svg) {
      return;
    }
    lastContact = storedImage.at;
    document.body.style.backgroundColor = storedImage.background;
    showImage(new Blob([storedImage.svg], { type: "image/svg+xml" }), function () {});
  }

  // Applies a state of the session from the server, or ends the session if it is not valid.
  function applyState(state) {
    if (isEnded) {
      return;
    }
    if (!state.valid) {
      endSession();
      return;
    }
    recordContact();
    reloadIfUpdated(state.server);
    const previousState = image.latestState;
    if (!previousState || previousState.image_version !== state.image_version) {
      image.changedAt = Date.now();
    }
    image.latestState = state;
    showDataAge(state);
    document.title = state.device_name + " - Chartroom";
    // Random delay, because the server notifies all screens at the same time.
    schedule("load", previousState ? Math.random() * 250 : 0, loadImage);
  }

  // Polls the state of the session. The interval depends on the stream and on the time of the last change.
  function checkSession() {
    schedule("check", 30 * SECOND, checkSession);
    sendRequest("GET", API + token + "/check", null, "json", function (status, state, request) {
      if (isEnded) {
        return;
      }
      if (status === 200 && state) {
        applyState(state);
        openStream();
        const pollSeconds = Date.now() - image.changedAt > 10 * MINUTE ? 15 : 5;
        schedule("check", addJitter((isStreaming ? 60 : pollSeconds) * SECOND), checkSession);
        return;
      }
      failures += 1;
      const retrySeconds = Number(request.getResponseHeader && request.getResponseHeader("Retry-After")) || 0;
      schedule("check", Math.max(getBackoff(failures), retrySeconds * SECOND), checkSession);
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
    if (isEnded || stream || !window.EventSource || Date.now() < nextStreamTime) {
      return;
    }
    stream = new EventSource(API + token + "/events");
    const handleState = function (event) {
      isStreaming = true;
      streamFailures = 0;
      clearTimeout(timers.stream);
      applyState(JSON.parse(event.data));
    };
    const handleStreamFailure = function () {
      const wasStreaming = isStreaming;
      closeStream();
      streamFailures += 1;
      nextStreamTime = Date.now() + Math.min(300, Math.pow(2, streamFailures)) * SECOND;
      if (wasStreaming && !isEnded) {
        schedule("check", addJitter(2 * SECOND), checkSession);
      }
    };
    stream.addEventListener("hello", handleState);
    stream.addEventListener("updated", handleState);
    stream.addEventListener("beat", recordContact);
    stream.addEventListener("revoked", endSession);
    stream.addEventListener("expired", endSession);
    stream.onerror = handleStreamFailure;
    // Close the stream if nothing arrives, because a proxy may buffer it.
    schedule("stream", 15 * SECOND, handleStreamFailure);
  }

  // Replaces a stream that is silent for too long.
  function checkContact() {
    if (isEnded) {
      return;
    }
    updateChip();
    if (isStreaming && Date.now() - lastContact > MAX_SILENCE_MS) {
      closeStream();
      checkSession();
    }
  }

  // Ends the session: removes the image from the screen and the storage, says so, and opens the pairing page after
  // 20 s.
  function endSession() {
    if (isEnded) {
      return;
    }
    isEnded = true;
    closeStream();
    Object.keys(timers).forEach(function (name) {
      clearTimeout(timers[name]);
    });
    accessStorage("localStorage", IMAGE_KEY, null);
    hideElement("chip");
    hideElement("bar");
    document.title = pageTitle;
    getElement("stage").className = "gone";
    setTimeout(function () {
      getElement("stage").hidden = true;
      getElement("one").removeAttribute("src");
      getElement("two").removeAttribute("src");
      document.body.style.backgroundColor = "";
      showElement("message", getText("message", "disconnected"));
    }, 700);
    setTimeout(function () {
      location.replace("/cast/receiver");
    }, 20 * SECOND);
  }

  // Moves the image by a few pixels regularly to avoid burn-in.
  function shiftImage() {
    const offsets = [[0, 0], [2, 1], [4, 0], [3, -3], [0, -4], [-3, -3], [-4, 0], [-2, 3]];
    let step = 0;
    setInterval(function () {
      step = (step + 1) % offsets.length;
      getElement("stage").style.transform = "translate(" + offsets[step][0] + "px," + offsets[step][1] + "px)";
    }, 3 * MINUTE);
  }

  // Asks the browser to keep the screen on.
  function stayAwake() {
    const ignore = function () {};
    if (navigator.wakeLock && !document.hidden) {
      navigator.wakeLock.request("screen").then(ignore, ignore);
    }
  }

  function hideBar() {
    hideElement("bar");
    document.body.className = "";
  }

  function showBar() {
    const state = image.latestState;
    if (isEnded || !state) {
      return;
    }
    const changedAt = new Date(state.last_modified);
    getElement("title").textContent = state.title || getText("title", "untitled");
    const facts = { screen: state.device_name, date: changedAt.toLocaleDateString(), time: formatClockTime(changedAt) };
    showElement("facts", getText("facts", "text", facts));
    showElement("bar");
    document.body.className = "pointed";
    schedule("bar", 8 * SECOND, hideBar);
  }

  function enterFullscreen() {
    const root = document.documentElement;
    const request = root.requestFullscreen || root.webkitRequestFullscreen;
    if (request && !document.fullscreenElement && !document.webkitFullscreenElement) {
      const promise = request.call(root);
      if (promise && promise.catch) {
        promise.catch(function () {});
      }
    }
  }

  function addControls() {
    // Key codes of the back button on remote controls: Tizen, webOS, others.
    const BACK_KEY_CODES = [10009, 461, 27, 8];
    document.addEventListener("keydown", function (event) {
      if (BACK_KEY_CODES.indexOf(event.keyCode) >= 0) {
        hideBar();
        return;
      }
      enterFullscreen();
      if (getElement("bar").hidden) {
        showBar();
        getElement("leave").focus();
        event.preventDefault();
      }
    });
    document.addEventListener("click", showBar);
    // The session does not end here. Only its owner can end it, and this address opens it again.
    getElement("leave").addEventListener("click", function () {
      accessStorage("localStorage", IMAGE_KEY, null);
      location.replace("/cast/receiver");
    });
  }

  function runSession() {
    restoreImage();
    addControls();
    shiftImage();
    stayAwake();
    setInterval(checkContact, 5 * SECOND);
    window.addEventListener("resize", function () {
      schedule("resize", 500, loadImage);
    });
    window.addEventListener("online", checkSession);
    document.addEventListener("visibilitychange", function () {
      stayAwake();
      if (!document.hidden && !isEnded) {
        checkSession();
      }
    });
    checkSession();
  }

  // == Screen that waits for pairing

  // Circumference of the countdown ring, for a radius of 10.
  const RING_LENGTH = 62.83;
  // The displayed code: its poll token, start, end and lifetime in milliseconds.
  let pairing = null;

  function updateCountdown() {
    updateChip();
    if (!pairing) {
      return;
    }
    const remaining = Math.max(0, pairing.end - Date.now());
    getElement("left").style.strokeDashoffset = String(RING_LENGTH * (1 - remaining / pairing.lifetime));
    // Subtract 2 s, because the server's time has a resolution of one second.
    const minutes = Math.ceil((remaining - 2 * SECOND) / MINUTE);
    getElement("time").textContent = getText("time", minutes > 1 ? "minutes" : "minute", { minutes: minutes });
  }

  // Returns the lifetime of a code by the server's clock, because the screen's clock can be wrong.
  function getCodeLifetime(response, request) {
    const now = Date.parse(request.getResponseHeader("Date"));
    return Math.max(MINUTE, Date.parse(response.expires_at) - now) || 10 * MINUTE;
  }

  function requestCode() {
    sendRequest("POST", API + "pair", {}, "json", function (status, response, request) {
      if (status !== 200 || !response) {
        failures += 1;
        schedule("pair", getBackoff(failures), requestCode);
        return;
      }
      recordContact();
      const lifetime = getCodeLifetime(response, request);
      pairing = { token: response.poll_token, start: Date.now(), end: Date.now() + lifetime, lifetime: lifetime };
      getElement("code").textContent = response.code;
      getElement("address").textContent = response.url.replace(/^https?:\/\//, "").replace(/\/[^/]*$/, "");
      getElement("qr").src = "data:image/svg+xml," + encodeURIComponent(response.qr);
      updateCountdown();
      schedule("pair", 3 * SECOND, pollPairing);
      checkVersion();
    });
  }

  // Checks with each new code whether the server version has changed.
  function checkVersion() {
    sendRequest("GET", "/cast/receiver", null, "text", function (status, page) {
      const match = status === 200 && /data-server="([^"]*)"/.exec(page);
      if (match) {
        reloadIfUpdated(match[1]);
      }
    });
  }

  function pollPairing() {
    if (Date.now() >= pairing.end) {
      requestCode();
      return;
    }
    sendRequest("GET", API + "pair/" + pairing.token, null, "json", function (status, response) {
      if (status === 200 && response) {
        recordContact();
        if (response.paired) {
          location.replace("/cast/" + response.token);
          return;
        }
        const isNew = Date.now() - pairing.start < 3 * MINUTE;
        schedule("pair", addJitter((isNew ? 3 : 10) * SECOND), pollPairing);
        return;
      }
      if (status === 404) {
        requestCode();
        return;
      }
      failures += 1;
      schedule("pair", getBackoff(failures), pollPairing);
    });
  }

  if (token === "receiver") {
    showElement("receiver");
    document.title = getText("receiver", "title");
    setInterval(updateCountdown, SECOND);
    requestCode();
  } else {
    runSession();
  }
})();
