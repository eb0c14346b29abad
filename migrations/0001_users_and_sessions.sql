-- Accounts, and the browser sessions that speak for them.
--
-- `now()` appears nowhere: whoever writes a row says when, so that tests can hold the clock.

create table users (
    id bigint generated always as identity primary key,
    -- As typed, in Unicode's NFKC form.
    username text not null,
    -- Folded for comparison: two names that a reader cannot tell apart by case are the same name.
    username_key text not null,
    -- Need not be unique: nobody is told whether an address is known here.
    email text not null,
    -- A PHC string (`$argon2id$v=19$…`); a leading `!` marks an account that nobody can sign in to.
    password_hash text not null,
    is_staff boolean not null default false,
    -- Counts up when the password changes: sessions begun under an older one are dead.
    session_version integer not null default 1,
    created_at timestamptz not null,
    constraint unique_username unique (username_key),
    constraint username_length check (char_length(username) between 1 and 30),
    constraint email_length check (char_length(email) between 3 and 254)
);

create table sessions (
    -- SHA-256 of the cookie's value: whoever reads this table cannot sign in with it.
    token_hash bytea primary key,
    user_id bigint not null references users (id) on delete cascade,
    state jsonb not null,
    created_at timestamptz not null,
    -- At most five minutes old while the session is in use, so that reading rarely writes.
    seen_at timestamptz not null,
    expires_at timestamptz not null,
    constraint token_hash_length check (octet_length(token_hash) = 32)
);

create index sessions_of_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);
