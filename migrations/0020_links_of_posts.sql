-- Where posts lead, and which of these places are suspected.

create table post_links (
    post_id bigint primary key references blog_posts on delete cascade,
    -- Web addresses that the text links to, and its image's, each once.
    addresses text[] not null,
    -- Those among them that pages, feeds and JSON do not link to.
    suspected text[] not null default '{}',
    -- The text for others than its author, where that is not as it was written.
    masked_content text,
    -- How often the lists had changed when it was checked last; -1 before the first time.
    lists bigint not null default -1,
    -- When it is to be checked again even if the lists have not changed.
    again_at timestamptz
);
create index post_links_lists on post_links (lists);
create index post_links_again on post_links (again_at) where again_at is not null;
create index post_links_suspected on post_links (post_id) where suspected <> '{}';

-- Addresses that a list has named, for the page that stands before each.
create table suspected_links (
    -- SHA-256 of the address, its first 16 bytes.
    hash bytea primary key,
    address text not null,
    -- As the server names it, such as MALWARE.
    threat_type text not null,
    -- The host of the server that says so.
    source text not null,
    since timestamptz not null,
    -- When it was last said.
    confirmed_at timestamptz not null
);
