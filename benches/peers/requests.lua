-- Sends the requests of a file in turn and prints what was measured as JSON.
-- wrk -s requests.lua URL -- FILE: method, `Authorization`, number of paths, paths, then a body in
-- which `@` stands for a number that is another one each time.
local requests, body, method, headers, count = {}, nil, nil, nil, 0

function init(arguments)
  local file = assert(io.open(arguments[1]))
  method = file:read("*l")
  headers = { ["Authorization"] = file:read("*l"), ["Content-Type"] = "application/json" }
  for _ = 1, tonumber(file:read("*l")) do requests[#requests + 1] = file:read("*l") end
  body = file:read("*a")
  if body == "" then
    -- Written once: the client shall cost as little as it can.
    for at, path in ipairs(requests) do requests[at] = wrk.format(method, path, headers) end
  end
end

function request()
  count = count + 1
  local it = requests[count % #requests + 1]
  if body == "" then return it end
  return wrk.format(method, it, headers, (body:gsub("@", count)))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"rate":%f,"p50":%f,"p99":%f,"worst":%f,"wrong":%d}\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, latency.max / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
