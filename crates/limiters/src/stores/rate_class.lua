-- Counts requests of a client in a rate class. The arithmetic is that of `RateClass`, with times in microseconds:
-- integers, which Lua represents exactly up to 2^53.
--
-- Returns the state before the requests (false if there is none), and the time of the requests in microseconds since
-- the Unix epoch, with which the client makes the same decision.
local window, max, clear, alert = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local limit, disconnect = tonumber(ARGV[5]), tonumber(ARGV[6])
-- An empty argument means that the penalty never ends.
local penalty = tonumber(ARGV[7]) or math.huge
local counts_refused, has_hysteresis = ARGV[8] == '1', ARGV[9] == '1'
local max_backward, requests = tonumber(ARGV[10]), tonumber(ARGV[11])
-- Time of the client; empty if the time of the server is used.
local now = tonumber(ARGV[12])
-- State that the client knows, which is used if it is later than the saved state.
local known = ARGV[13]

local ALERT, LIMITED, DISCONNECT = 1, 2, 3

if not now then
    local time = redis.call('TIME')
    now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local saved = redis.call('GET', KEYS[1])
-- A level of nil means the maximum level.
local level, last, status = nil, nil, 0
local PATTERN = '^(%S+) (-?%d+) ([0-3])$'
local _, known_last = string.match(known, PATTERN)
if saved then
    local _, saved_last = string.match(saved, PATTERN)
    if not saved_last then
        -- The value is not a state. The client reports an error.
        return { saved, now }
    end
    if known_last and tonumber(known_last) > tonumber(saved_last) then
        saved = known
    end
elseif known_last then
    saved = known
end
if saved then
    local saved_level, saved_last, saved_status = string.match(saved, PATTERN)
    level, last, status = tonumber(saved_level), tonumber(saved_last), tonumber(saved_status)
end

local function known_level()
    return math.min(math.max(level or max, 0), max)
end

local function required_wait()
    local target = status >= LIMITED and clear or limit
    local wait = math.max(window * target - (window - 1) * known_level(), 0)
    return status == DISCONNECT and math.max(wait, penalty) or wait
end

local function status_at(new_level)
    if new_level < disconnect then
        return DISCONNECT
    elseif status >= LIMITED then
        return new_level >= clear and 0 or LIMITED
    elseif new_level < limit then
        return LIMITED
    elseif new_level < alert or (has_hysteresis and status == ALERT and new_level < clear) then
        return ALERT
    end
    return 0
end

local function count_request()
    local gap, time = 0, now
    if last and now >= last then
        gap = now - last
    elseif last and last - now <= max_backward then
        time = last
    elseif last then
        -- The clock was set back, so no gap can be measured.
        last = now
        return
    end
    if status == DISCONNECT and gap < required_wait() then
        return
    end
    local sum = (window - 1) * known_level() + math.min(gap, window * max)
    local new_level = math.min(math.floor(sum / window), max)
    status = status_at(new_level)
    if counts_refused or status < LIMITED then
        level, last = new_level, time
    else
        last = last or time
    end
end

count_request()
-- Counts an allowed request another `requests` - 1 times. The additional counts limit later requests only.
if status < LIMITED then
    for _ = 2, requests do
        count_request()
    end
end

local state = string.format('%s %.0f %d', level and string.format('%.0f', level) or '-', last, status)
local wait = math.max(required_wait(), window * max - (window - 1) * known_level())
if wait == math.huge then
    redis.call('SET', KEYS[1], state)
else
    -- Adds one minute, because the clocks of the clients may differ from the clock of the server.
    redis.call('SET', KEYS[1], state, 'PX', string.format('%.0f', math.ceil(wait / 1000) + 60000))
end
return { saved, now }
