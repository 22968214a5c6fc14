-- Sends the requests of a file in turn and prints the results as JSON.
-- wrk -s requests.lua URL -- FILE. The file contains lines: method, `Authorization`, number of paths, paths.
-- Then follows the body, in which `@` is replaced by a number that differs in each request.
local requests, body, method, headers, count = {}, nil, nil, nil, 0

function init(arguments)
  local file = assert(io.open(arguments[1]))
  method = file:read("*l")
  headers = { ["Authorization"] = file:read("*l"), ["Content-Type"] = "application/json" }
  for _ = 1, tonumber(file:read("*l")) do requests[#requests + 1] = file:read("*l") end
  body = file:read("*a")
  if body == "" then
    -- Format the requests once, so that the client uses little CPU time.
    for index, path in ipairs(requests) do requests[index] = wrk.format(method, path, headers) end
  end
end

function request()
  count = count + 1
  -- A formatted request, or a path if there is a body.
  local entry = requests[count % #requests + 1]
  if body == "" then return entry end
  return wrk.format(method, entry, headers, (body:gsub("@", count)))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"rate":%f,"p50":%f,"p99":%f,"worst":%f,"errors":%d}\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, latency.max / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
