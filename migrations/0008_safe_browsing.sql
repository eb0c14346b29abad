-- Threat lists of a Safe Browsing server (Update API v4), shared by all instances, and the URLs of posts that are on them.

create table threat_lists (
    -- Threat, platform and entry type, such as MALWARE/ANY_PLATFORM/URL.
    name text primary key,
    -- State that the server sent with the last update; empty before the first.
    client_state text not null default '',
    -- Sorted hash prefixes. They are random bytes, which do not compress.
    prefixes bytea not null default '',
    -- Incremented by each change, so that instances know when to load the list.
    changes bigint not null default 0,
    -- Time at which the server last confirmed the list; NULL before the first update.
    updated_at timestamptz
);
alter table threat_lists alter column prefixes set storage external;

-- Cached answers about single prefixes.
create table threat_answers (
    prefix bytea primary key,
    -- Until then, full hashes with this prefix that are not in `matches` are not threats.
    negative_until timestamptz not null,
    -- Full hashes that are threats: [{hash, threat_type, until}].
    matches jsonb not null
);

-- Pacers of external services, by method. Instances share them: one of them sends a request at a time.
create table request_paces (
    method text primary key,
    -- State of the `Pacer`.
    state jsonb not null,
    -- End of the lease of the instance that is sending a request.
    leased_until timestamptz
);

-- URLs in posts.
create table post_links (
    post_id bigint primary key references blog_posts on delete cascade,
    -- Distinct URLs of the text and of its images.
    addresses text[] not null,
    -- Flagged URLs among `addresses`. Pages, feeds and JSON do not link to flagged URLs.
    suspected text[] not null default '{}',
    -- Text with flagged URLs masked, for all but the author; NULL if none is flagged.
    masked_content text,
    -- Number of changes of the threat lists at the last check; -1 before the first.
    lists bigint not null default -1,
    -- Time of the next check if the lists do not change.
    again_at timestamptz
);
create index post_links_lists on post_links (lists);
create index post_links_again on post_links (again_at) where again_at is not null;
create index post_links_suspected on post_links (post_id) where suspected <> '{}';

-- Flagged URLs, for the warning page in front of each.
create table suspected_links (
    -- First 16 bytes of the SHA-256 hash of the URL.
    hash bytea primary key,
    address text not null,
    -- As the server names it, such as MALWARE.
    threat_type text not null,
    -- Host of the server.
    source text not null,
    since timestamptz not null,
    -- Time at which the server last confirmed the threat.
    confirmed_at timestamptz not null
);
