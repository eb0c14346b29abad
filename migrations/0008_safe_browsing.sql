-- Safe Browsing: threat lists of the server (Update API v4), shared by all instances, and flagged URLs in posts. Tables:
-- `threat_lists`, `threat_answers`, `request_paces`, `post_links`, `suspected_links`.

create table threat_lists (
    -- `threat_lists.name`: threat type, platform type and threat entry type, such as `MALWARE/ANY_PLATFORM/URL`.
    name text primary key,
    -- `threat_lists.client_state`: opaque state token of the last update, sent with the next one; empty before the first update.
    client_state text not null default '',
    -- `threat_lists.prefixes`: sorted hash prefixes. Stored without compression, because hashes do not compress.
    prefixes bytea not null default '',
    -- `threat_lists.changes`: incremented by each change. Instances reload the list if the number differs.
    changes bigint not null default 0,
    -- `threat_lists.updated_at`: time at which the server last confirmed the list; NULL before the first update.
    updated_at timestamptz
);
alter table threat_lists alter column prefixes set storage external;

-- Table `threat_answers`: cached responses of the server to queries for one hash prefix.
create table threat_answers (
    prefix bytea primary key,
    -- `threat_answers.negative_until`: time until which a full hash with this prefix that is not in `matches` is known to be
    -- safe.
    negative_until timestamptz not null,
    -- `threat_answers.matches`: full hashes of threats: `[{hash, threat_type, until}]`.
    matches jsonb not null
);

-- Table `request_paces`: request pacing per API method of an external service, shared by all instances. At most one instance
-- sends a request at a time.
create table request_paces (
    method text primary key,
    -- `request_paces.state`: state of a `Pacer` (see `crates/limiters/src/pacer.rs`): time of the next allowed request, and consecutive
    -- failures.
    state jsonb not null,
    -- `request_paces.leased_until`: end of the lease of the instance that is sending a request; NULL if no request is being sent.
    leased_until timestamptz
);

-- Table `post_links`: URLs in each post, and the result of their last check.
create table post_links (
    post_id bigint primary key references blog_posts on delete cascade,
    -- `post_links.addresses`: distinct URLs of links and images in the post.
    addresses text[] not null,
    -- `post_links.suspected`: flagged URLs among `addresses`. Pages, feeds and JSON show them without a link.
    suspected text[] not null default '{}',
    -- `post_links.masked_content`: content with flagged URLs masked, shown to everybody but the author; NULL if no URL is
    -- flagged.
    masked_content text,
    -- `post_links.lists`: version of the threat lists (sum of `threat_lists.changes`) at the last check; -1 before the first
    -- check.
    lists bigint not null default -1,
    -- `post_links.again_at`: time at which the URLs are checked again even if the threat lists have not changed; NULL if that is
    -- not necessary.
    again_at timestamptz
);
create index post_links_lists on post_links (lists);
create index post_links_again on post_links (again_at) where again_at is not null;
create index post_links_suspected on post_links (post_id) where suspected <> '{}';

-- Table `suspected_links`: flagged URLs, for the warning page that is shown instead of following a link.
create table suspected_links (
    -- `suspected_links.hash`: first 16 bytes of the SHA-256 hash of the URL.
    hash bytea primary key,
    address text not null,
    -- `suspected_links.threat_type`: threat type of the Safe Browsing API, such as `MALWARE`.
    threat_type text not null,
    -- `suspected_links.source`: host name of the Safe Browsing server.
    source text not null,
    since timestamptz not null,
    -- `suspected_links.confirmed_at`: time at which the server last confirmed the threat.
    confirmed_at timestamptz not null
);
