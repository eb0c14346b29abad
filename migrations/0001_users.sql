-- Accounts, sessions and sign-in. Tables: `invitations`, `users`, `sessions`, `sign_ins`, `second_factors`, `recovery_codes`,
-- `owner_claims`.
--
-- No column has the default `now()`. Statements pass the time as a parameter, so that tests can set the clock.

-- Table `invitations`: registration links, created by staff. Required for registration if `REGISTRATION=invite`.
create table invitations (
    id bigint generated always as identity primary key,
    made_by bigint not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- `invitations.max_uses`: maximum number of registrations by the link. `invitations.uses`: number of registrations so far.
    max_uses integer not null,
    uses integer not null default 0,
    constraint uses_in_range check (max_uses between 1 and 1000 and uses between 0 and max_uses)
);

create table users (
    id bigint generated always as identity primary key,
    -- `users.username`: username as entered, in Unicode normalization form NFKC.
    username text not null,
    -- `users.username_key`: case-folded username, for lookups and uniqueness. Its collation lets prefix searches use the index.
    username_key text collate "C" not null,
    -- `users.username_skeleton`: skeleton (UTS 39) of the username; equal for usernames that look alike. NULL for an erased
    -- account.
    username_skeleton text,
    -- `users.email`: email address. Not unique, because a uniqueness error at registration would reveal which addresses have
    -- accounts. Empty after the account was erased.
    email text not null,
    -- `users.email_confirmed_at`: time at which the user confirmed the email address with a mailed link; NULL if the address is
    -- not confirmed. Only confirmation links are sent to unconfirmed addresses.
    email_confirmed_at timestamptz,
    -- `users.mailbox_key`: spelling of the last confirmed email address without differences that its provider ignores.
    mailbox_key text,
    -- `users.password_hash`: PHC string, such as `$argon2id$v=19$…`. The prefix `!` marks an account without a password.
    password_hash text not null,
    -- `users.session_version`: incremented when the password changes. Sessions with an older version are invalid.
    session_version integer not null default 1,
    created_at timestamptz not null,

    is_staff boolean not null default false,
    -- `users.staff_role`: role of a staff account (`moderator`, `admin` or `owner`). Ignored if `users.is_staff` is false.
    staff_role text not null default 'owner',
    -- `users.is_approved`: true if staff allowed the user to publish. Used if `PUBLISHING=approved`.
    is_approved boolean not null default false,
    -- `users.invitation_id`: invitation that the user registered with; NULL for users who registered without an invitation.
    invitation_id bigint references invitations,

    -- `users.blocked_at`, `users.blocked_until`: start and end of a block; `blocked_until` is NULL for a block without an end. A
    -- blocked user cannot post or rate.
    blocked_at timestamptz,
    blocked_until timestamptz,
    -- `users.blocked_reason`: reason of the block, shown to the user; NULL for users who are not blocked.
    blocked_reason text,

    -- `users.delete_at`: time at which the account will be erased. `users.delete_posts`: true if its published posts will be
    -- deleted too. Both are NULL unless the user has requested deletion.
    delete_at timestamptz,
    delete_posts boolean,
    -- `users.erased_at`: time at which the account was erased; NULL for existing accounts. The row is kept without personal data,
    -- because ratings and posts refer to it.
    erased_at timestamptz,

    -- `users.display_name`, `users.about`, `users.link`: public profile. `about` is Markdown.
    display_name text,
    about text,
    link text,
    -- `users.avatar`: name of the profile image in `images.name`.
    avatar text,
    -- `users.time_zone`: IANA time zone name, such as `Europe/Berlin`; NULL for the default of the site.
    time_zone text,
    -- `users.language`: BCP 47 tag of the interface language; NULL to use the language of the browser.
    language text,

    -- `users.text_bytes`: size of the texts of all posts and drafts, computed every hour.
    text_bytes bigint not null default 0,

    -- `users.mail_link_id`: id of the most recently mailed link, the only valid one; NULL if that link was used or revoked. Ids
    -- are random, so that restoring an older dump does not make used links valid again.
    mail_link_id bigint,
    -- `users.imported_as`: author name in the source of `import --create-authors`, which created this account. A later
    -- import of the same author reuses the account. NULL for all other accounts.
    imported_as text,

    constraint unique_username unique (username_key),
    constraint unique_username_skeleton unique (username_skeleton),
    constraint username_length check (char_length(username) between 1 and 30),
    constraint email_length check (char_length(email) between 3 and 254 or (erased_at is not null and email = '')),
    constraint staff_role_is_known check (staff_role in ('moderator', 'admin', 'owner')),
    constraint block_is_whole check (
        (blocked_at is null) = (blocked_reason is null) and (blocked_until is null or blocked_at is not null)
    ),
    constraint asked_as_a_whole check ((delete_at is null) = (delete_posts is null)),
    constraint profile_length check (
        coalesce(char_length(display_name) between 1 and 50, true) and coalesce(char_length(about) <= 2000, true)
            and coalesce(char_length(link) <= 500, true) and coalesce(char_length(time_zone) <= 60, true)
    ),
    constraint language_length check (char_length(language) between 1 and 35)
);
create index invitations_of_user on invitations (made_by, id desc);
alter table invitations add constraint invitations_made_by_fkey foreign key (made_by) references users;

create index users_by_confirmed_email on users (lower(email)) where email_confirmed_at is not null;
-- Index `users_by_mailbox`: a mailbox confirms one account, so that `RATING_ELIGIBILITY=confirmed_email` counts people once.
create unique index users_by_mailbox on users (mailbox_key) where email_confirmed_at is not null;
create index users_by_invitation on users (invitation_id) where invitation_id is not null;
create unique index users_by_imported_as on users (imported_as) where imported_as is not null;
create index users_to_delete on users (delete_at) where delete_at is not null;
create index users_blocked on users (id) where blocked_at is not null;
create index users_by_text on users (text_bytes desc, id desc);
create index users_staff on users (id) where is_staff;

-- Trigger `end_mail_link`: revokes the mailed link of a user when the email address or `session_version` changes. Rehashing the
-- same password does not change `session_version` and keeps the link valid.
create function end_mail_link() returns trigger language plpgsql as $$
begin
    new.mail_link_id := null;
    return new;
end $$;
create trigger end_mail_link before update on users for each row
    when (
        old.mail_link_id is not null
        and (new.email is distinct from old.email or new.session_version is distinct from old.session_version)
    )
    execute function end_mail_link();

create table sessions (
    -- `sessions.token_hash`: SHA-256 hash of the session cookie, so that read access to the table does not allow signing in.
    token_hash bytea primary key,
    user_id bigint not null references users (id) on delete cascade,
    state jsonb not null,
    created_at timestamptz not null,
    -- `sessions.seen_at`: time of the last request. Updated at most every five minutes, so that most requests write nothing.
    seen_at timestamptz not null,
    expires_at timestamptz not null,
    -- `sessions.network`: client network at sign-in, in the format of `sign_ins.network`. `sessions.device`: browser and
    -- operating system at sign-in, such as `Firefox on Linux`.
    network text,
    device text,
    -- `sessions.confirmed_at`: time of the last re-authentication in this session; NULL if there was none.
    confirmed_at timestamptz,
    constraint token_hash_length check (octet_length(token_hash) = 32)
);
create index sessions_of_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);
create index sessions_new on sessions (created_at desc);

-- Table `api_tokens`: secrets with which programs act for a user.
create table api_tokens (
    id bigint generated always as identity primary key,
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    -- `api_tokens.token_hash`: SHA-256 hash of the secret, so that read access to the table does not allow using it.
    token_hash bytea not null,
    scopes text[] not null,
    created_at timestamptz not null,
    -- `api_tokens.expires_at`: NULL if the token does not expire.
    expires_at timestamptz,
    -- `api_tokens.used_at`, `used_network`: time and client network of the last request. Updated at most every five minutes.
    used_at timestamptz,
    used_network text,
    constraint unique_api_token unique (token_hash),
    constraint api_token_hash_length check (octet_length(token_hash) = 32)
);
create index api_tokens_of_user on api_tokens (user_id, id);
create index api_tokens_by_expiry on api_tokens (expires_at) where expires_at is not null;

-- Function `is_credential`: true if the hash belongs to a session or an API token that has not ended. Changes of posts check
-- this, because a session may end while a request is in progress.
create function is_credential(hash bytea) returns boolean language sql stable as $$
    select exists (select from sessions where token_hash = hash)
        or exists (select from api_tokens where token_hash = hash)
$$;

-- Table `sign_ins`: networks from which users have signed in. Failed sign-ins from unknown networks share a limit per account.
-- Known networks are exempt from it, so that an attacker cannot lock the owner of an account out.
create table sign_ins (
    user_id bigint not null references users (id) on delete cascade,
    -- `sign_ins.network`: IPv4 address, or /64 prefix of an IPv6 address.
    network text not null,
    seen_at timestamptz not null,
    constraint sign_ins_pkey primary key (user_id, network)
);
create index sign_ins_by_time on sign_ins (seen_at);

-- Table `second_factors`: two-factor authentication with an authenticator app (TOTP).
create table second_factors (
    user_id bigint primary key references users on delete cascade,
    -- `second_factors.salt`, `second_factors.mask`: the TOTP secret is derived from the site's secret key and `salt`, then XORed
    -- with `mask`, so that read access to the table does not reveal it. `mask` keeps the TOTP secret unchanged when the secret
    -- key is replaced; NULL if the key was never replaced.
    salt bytea not null,
    mask bytea,
    -- `second_factors.key_id`: id of the secret key that the TOTP secret is derived from.
    key_id bytea not null,
    created_at timestamptz not null,
    -- `second_factors.confirmed_at`: time at which a valid code completed the setup; NULL during the setup.
    confirmed_at timestamptz,
    -- `second_factors.last_step`: 30-second time step of the last used code. Codes of this or an earlier step are rejected, so
    -- that each code is valid once.
    last_step bigint not null default 0,
    -- `second_factors.session`: session that started the setup. Only this session can see and confirm the secret.
    session bytea,
    constraint salt_length check (octet_length(salt) = 16),
    constraint mask_length check (octet_length(mask) = 20)
);

-- Table `recovery_codes`: hashes of recovery codes for two-factor authentication. A row is deleted when its code is used.
create table recovery_codes (
    user_id bigint not null references users on delete cascade,
    code_hash bytea not null,
    constraint recovery_codes_pkey primary key (user_id, code_hash)
);

-- Table `owner_claims`: used setup codes. The site prints a setup code at its first start; the user who enters it becomes the
-- first owner.
create table owner_claims (
    id bigint generated always as identity primary key,
    user_id bigint not null references users,
    claimed_at timestamptz not null
);
