-- Accounts, sessions and sign-in.
--
-- No table uses `now()` as a default: every statement that writes a time takes it as a parameter, so that tests can set the clock.

-- Invitation links, by which new users register if registration is by invitation.
create table invitations (
    id bigint generated always as identity primary key,
    made_by bigint not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- Number of users who may register with the link, and of those who have.
    seats integer not null,
    taken integer not null default 0,
    constraint seats_in_range check (seats between 1 and 1000 and taken between 0 and seats)
);
create index invitations_new on invitations (id desc);

create table users (
    id bigint generated always as identity primary key,
    -- As typed, in Unicode normalization form NFKC.
    username text not null,
    -- Case-folded username, for comparison.
    username_key text not null,
    -- Skeleton of the username (UTS 39): usernames that look alike have the same one. NULL if the account was loaded from a dump
    -- of BitPin-Blog and looks like another one; `evenkeel check` lists such accounts.
    username_skeleton text,
    -- Not unique, so that registration does not reveal which email addresses have accounts. Empty after the account was erased.
    email text not null,
    -- Time at which the user opened a link sent to `email`; NULL before. Other mail is sent to confirmed addresses only.
    email_confirmed_at timestamptz,
    -- PHC string (`$argon2id$v=19$…`). A leading `!` marks an account without a password.
    password_hash text not null,
    -- Incremented when the password changes, which ends all sessions of the previous version.
    session_version integer not null default 1,
    created_at timestamptz not null,

    is_staff boolean not null default false,
    -- Role of a staff account; ignored for others.
    staff_role text not null default 'owner',
    -- True if staff allowed the user to publish, where the registration policy requires that.
    is_approved boolean not null default false,
    -- Invitation with which the user registered; NULL if there was none.
    invitation_id bigint references invitations,

    -- Start and end of a block. A blocked user may only read. `blocked_until` is NULL for a block without an end.
    blocked_at timestamptz,
    blocked_until timestamptz,
    -- Shown to the blocked user.
    blocked_reason text,

    -- Time at which the account will be erased, and whether its posts are deleted too; NULL if the user has not asked for that.
    delete_at timestamptz,
    delete_posts boolean,
    -- Time at which the account was erased. The row stays without personal data: its ratings count, and its posts have an author.
    erased_at timestamptz,

    -- Profile. `about` is Markdown.
    display_name text,
    about text,
    link text,
    -- Name of the profile image.
    avatar text,
    -- IANA name, such as Europe/Berlin.
    time_zone text,
    -- BCP 47 tag of the interface language; NULL to follow the browser.
    language text,

    -- Id of the newest link that was mailed to the account; NULL if that link was used or ended. The id is random, so that loading
    -- an older dump does not make used links valid again.
    mail_link_id bigint,
    -- Name of the author in the blog that `importposts --create-authors` created the account for, so that a later import of the same
    -- author finds the account. NULL for all other accounts.
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
alter table invitations add constraint invitations_made_by_fkey foreign key (made_by) references users;

-- Accounts whose skeleton has not been computed yet.
create index users_without_skeleton on users (id) where username_skeleton is null;
-- Finds authors by the beginning of their username, in any collation.
create index users_by_prefix on users (username_key text_pattern_ops);
create index users_by_confirmed_email on users (lower(email)) where email_confirmed_at is not null;
create index users_by_invitation on users (invitation_id) where invitation_id is not null;
create unique index users_by_imported_as on users (imported_as) where imported_as is not null;
create index users_to_delete on users (delete_at) where delete_at is not null;
create index users_blocked on users (id) where blocked_at is not null;
create index users_staff on users (id) where is_staff;

-- Ends the mailed link when the email address or the password changes, whichever statement changes it. Rehashing the same password
-- leaves `session_version` as it is, and the link valid.
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
    -- SHA-256 of the session cookie, so that the table alone does not allow signing in.
    token_hash bytea primary key,
    user_id bigint not null references users (id) on delete cascade,
    state jsonb not null,
    created_at timestamptz not null,
    -- Updated at most once in five minutes, so that most requests write nothing.
    seen_at timestamptz not null,
    expires_at timestamptz not null,
    -- Network (see `sign_ins`) and device in words, as they were at sign-in.
    network text,
    device text,
    -- Time of the last re-authentication.
    confirmed_at timestamptz,
    constraint token_hash_length check (octet_length(token_hash) = 32)
);
create index sessions_of_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);
create index sessions_new on sessions (created_at desc);

-- Networks from which users have signed in. Failed attempts from other networks are limited per account; those from a known one are
-- not, or an attacker could lock the owner out.
create table sign_ins (
    user_id bigint not null references users (id) on delete cascade,
    -- IPv4 address, or the first 64 bits of an IPv6 address.
    network text not null,
    seen_at timestamptz not null,
    constraint sign_ins_pkey primary key (user_id, network)
);
create index sign_ins_by_time on sign_ins (seen_at);

-- Two-factor authentication by authenticator app.
create table second_factors (
    user_id bigint primary key references users on delete cascade,
    -- The secret of the app is derived from the site's key and this salt, and combined (xor) with `mask`, so that the table alone
    -- does not reveal it. After the key was replaced, another mask leads to the same secret; NULL until then.
    salt bytea not null,
    mask bytea,
    -- Id of that key.
    key_id bytea not null,
    created_at timestamptz not null,
    -- NULL until a code has proven that the app has the secret.
    confirmed_at timestamptz,
    -- Number of the 30-second step of the last code that was used. Each code is valid once.
    last_step bigint not null default 0,
    -- Session that began the setup. Other sessions can neither see the secret nor confirm it.
    session bytea,
    constraint salt_length check (octet_length(salt) = 16),
    constraint mask_length check (octet_length(mask) = 20)
);

-- Hashes of recovery codes. A row is deleted when its code is used.
create table recovery_codes (
    user_id bigint not null references users on delete cascade,
    code_hash bytea not null,
    constraint recovery_codes_pkey primary key (user_id, code_hash)
);

-- Setup codes that have been used: the site prints one at its first start, and its user becomes the first owner.
create table owner_claims (
    id bigint generated always as identity primary key,
    user_id bigint not null references users,
    claimed_at timestamptz not null
);
