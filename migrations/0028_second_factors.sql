-- Authenticator apps of accounts.
create table second_factors (
    user_id bigint primary key references users on delete cascade,
    -- With the site's key, the app's secret is made from it: the table alone lets nobody in.
    salt bytea not null,
    created_at timestamptz not null,
    -- Null until a code has shown that the app has the secret.
    confirmed_at timestamptz,
    -- The number of the 30 seconds of the last code that was used: each is good once.
    last_step bigint not null default 0,
    constraint salt_length check (octet_length(salt) = 16)
);

-- Hashes of codes for those who have lost their app. A row is deleted when its code is used.
create table recovery_codes (
    user_id bigint not null references users on delete cascade,
    code_hash bytea not null,
    constraint recovery_codes_pkey primary key (user_id, code_hash)
);
