-- Checks an event against a leaky bucket, or refunds its cost. The arithmetic is that of `LeakyBucket`: integers, which
-- Lua represents exactly up to 2^53.
--
-- Returns the saved state before the event (false if there is none), and the time of the event in milliseconds since
-- the Unix epoch, with which the client makes the same decision. If the saved state has another leak period, or if the
-- operation is "peek", nothing is changed.
local operation, leak_amount, leak_period = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local capacity, cost, max_backward = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
-- Time of the client; empty if the time of the server is used.
local now = tonumber(ARGV[7])
-- A saved state with another leak period, and its level converted to this leak period.
local converted_state, converted_level = ARGV[8], tonumber(ARGV[9])

if not now then
    local time = redis.call('TIME')
    now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local saved = redis.call('GET', KEYS[1])
if operation == 'peek' or (operation == 'refund' and not saved) then
    return { saved, now }
end

local level, last = 0, now
if saved then
    local saved_level, saved_last, saved_period = string.match(saved, '^(%d+) (-?%d+) (%d+)$')
    if not saved_level then
        -- The value is not a state. The client reports an error.
        return { saved, now }
    end
    level, last = tonumber(saved_level), tonumber(saved_last)
    if saved == converted_state then
        level = converted_level
    elseif saved_period ~= leak_period then
        return { saved, now }
    end
end

level = math.min(level, capacity)
if now >= last then
    level = math.max(level - leak_amount * (now - last), 0)
    last = now
elseif last - now > max_backward then
    last = now
end

if operation == 'refund' then
    level = math.max(level - cost, 0)
elseif level + cost <= capacity then
    level = level + cost
end

-- An empty bucket needs no state. Otherwise the key expires one minute after the bucket is empty, because the clocks of
-- the clients may differ from the clock of the server by up to a minute.
if level == 0 then
    redis.call('DEL', KEYS[1])
else
    local empty_in = math.ceil(level / leak_amount) + math.max(last - now, 0)
    local state = string.format('%.0f %.0f %s', level, last, leak_period)
    redis.call('SET', KEYS[1], state, 'PX', string.format('%.0f', empty_in + 60000))
end
return { saved, now }
