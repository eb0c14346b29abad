-- Where accounts have been signed in to from. Guesses from elsewhere count against an account; its owner's do not, or
-- whoever guesses could shut the owner out.

create table sign_ins (
    user_id bigint not null references users (id) on delete cascade,
    -- An address; of IPv6 the first 64 bits.
    network text not null,
    seen_at timestamptz not null,
    constraint sign_ins_pkey primary key (user_id, network)
);
create index sign_ins_by_time on sign_ins (seen_at);
