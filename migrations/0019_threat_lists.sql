-- What a Safe Browsing server has said, shared by all instances.

-- Lists of hash prefixes of suspected places. They are random bytes: compressing them is in vain.
create table threat_lists (
    -- The three types of the protocol, such as MALWARE/ANY_PLATFORM/URL.
    name text primary key,
    -- The server's own note of what it has sent; empty before the first time.
    client_state text not null default '',
    prefixes bytea not null default '',
    -- Counts up with each change, so that instances know when to load it.
    changes bigint not null default 0,
    -- When the server last said that it is as it is here; null before the first time.
    updated_at timestamptz
);
alter table threat_lists alter column prefixes set storage external;

-- What it has said of single prefixes, and until when that holds.
create table threat_answers (
    prefix bytea primary key,
    -- Other hashes with this prefix are none until then.
    negative_until timestamptz not null,
    -- Full hashes that are some: [{hash, threat_type, until}].
    matches jsonb not null
);

-- When another service may be asked again, for each of its methods. Instances keep one pace together: one asks at a time.
create table request_paces (
    method text primary key,
    -- The state of the pacer; see limiters::Pacer.
    state jsonb not null,
    -- Until when somebody is asking.
    leased_until timestamptz
);
